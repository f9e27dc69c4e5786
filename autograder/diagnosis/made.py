"""The modules that the bank asks: made once for all faults with one and the same constructor.

Making a module takes longer than most calls of it, and most faults are of what a call does.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

from torch import nn

from autograder.sandbox.kept import Kept, Made
from autograder.sandbox.modules import Blueprint, WrongParameters

_MOST = 64


class Modules(Kept):
    """Those of one notebook."""

    def __init__(self) -> None:
        # The weights are kept, too: no others may come to lie where they lay.
        self._those: OrderedDict[Hashable, tuple[Made | WrongParameters, Any]] = OrderedDict()
        self._makers: Hashable = None

    def made_with(self, makers: Hashable) -> None:
        """With which constructors they are made from now on."""
        self._makers = makers

    def module(self, blueprint: Blueprint, names: Mapping[str, Any]) -> nn.Module:
        """One as the blueprint says. Raises what `Blueprint.make` raises."""
        args = [*enumerate(blueprint.args), *(blueprint.kwargs or {}).items()]
        passed = tuple((name, type(each), each) for name, each in args)  # 1 is no 1.0
        how = blueprint.train, blueprint.dtype, id(blueprint.weights)
        key = self._makers, blueprint.name, passed, how
        try:
            made, _ = self._those.pop(key, (None, None))
        except TypeError:  # as of a list: by that nothing can be looked up
            return blueprint.make(names)
        if not made or (isinstance(made, Made) and not made.is_as_it_was):
            made = _made(blueprint, names)
        self._those[key] = made, blueprint.weights
        while len(self._those) > _MOST:
            self._those.popitem(last=False)
        if isinstance(made, WrongParameters):
            raise made.with_traceback(None)
        return made.again(names)


def _made(blueprint: Blueprint, names: Mapping[str, Any]) -> Made | WrongParameters:
    try:
        return Made(blueprint.make(names))
    except WrongParameters as error:
        return error
