"""A name that is imported nowhere keeps all from running: with it, the rest is seen."""

import re

import libcst as cst

from autograder.repair.edits import Edit
from autograder.repair.spot import spots
from autograder.repair.view import View
from autograder.sandbox.failure import Failure

_UNKNOWN = re.compile(r"name '(\w+)' is not defined")
_MODULES = {  # by the names under which people use them
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "np": "numpy",
}
_MODULES |= {x: x for x in ("torch", "math", "copy", "functools", "itertools", "einops", "numpy")}
_IN_MODULES = {
    **dict.fromkeys(("Any", "Optional", "Union", "List", "Tuple", "Callable"), "typing"),
    **dict.fromkeys(("Tensor", "einsum"), "torch"),
    **dict.fromkeys(("rearrange", "repeat", "reduce"), "einops"),
    **dict.fromkeys(("sqrt", "log", "inf", "prod"), "math"),
    **{"deepcopy": "copy", "partial": "functools", "lru_cache": "functools"},
}


def imported(view: View, failure: Failure | None) -> list[Edit]:
    """The cell in which the name that an exception lacks is what people import under it."""
    if failure is None or failure.type != "NameError" or failure.line is None:
        return []
    found = _UNKNOWN.search(failure.message)
    name = found[1] if found else ""
    module = _MODULES.get(name) or _IN_MODULES.get(name)
    there = (each for each in spots(view) if isinstance(each.node, cst.Name))
    named = (each for each in there if (each.source, each.line) == (name, failure.line))
    if module is None or (spot := next(named, None)) is None:
        return []
    new = f'__import__("{module}", fromlist=("",))' + ("" if name in _MODULES else f".{name}")
    # No line is added: what else is wrong stands where its author wrote it.
    text = re.sub(rf"(?<![\w.]){name}(?!\w|\s*=[^=])", lambda _: new, view.text)
    return [Edit(text, failure.line, 0, True, new, spot)]
