"""What is to be looked at when a call is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class How:
    """What is to be looked at when a call is made.

    cotangents: one for each output (None: leave it out); then the answer has the gradients of
    sum(output * cotangent) by every argument that requires one, and by every loaded weight.
    elsewhere: the inputs say that they are on another device (see elsewhere.py), which is torch's
    default for a call with device=None, and the answer whether the outputs are. read: attributes
    of the module to look at afterwards. watch: its submodules whose calls are counted. count:
    count the calls of torch. work: count the multiplications (see work.py). before: arguments of an
    earlier call, by place or name (of the module, where the method is torch's own, as state_dict);
    after it draws begin anew, unless drawn_on. before_method: of the module, if that call is of
    another one, with these arguments alone. overwritten: what it gave is filled with zeros then,
    by whoever called. in_place: it is passed the very tensors of the call, with those numbers in
    them for the time being. before_loading: modules have other weights then, and are moved after
    it. without_grad: both under torch.no_grad().
    """

    cotangents: Sequence[Any] | None = None
    elsewhere: bool = False
    read: Sequence[str] = ()
    watch: Sequence[str] = ()
    count: bool = False
    work: bool = False
    before: Mapping[int | str, Any] = field(default_factory=dict)
    before_method: str = ""
    drawn_on: bool = False
    overwritten: bool = False
    in_place: bool = False
    before_loading: bool = False
    without_grad: bool = False


# What can be said as it is, wherever it goes.
SAID = tuple(each.name for each in fields(How) if each.default in (False, ""))
