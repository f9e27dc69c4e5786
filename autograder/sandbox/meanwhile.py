"""What is otherwise while a call is made, or an earlier one, and is put back at its end."""

import contextlib
from collections.abc import Iterator, Sequence

import torch
from torch import nn

# As they are before a student's code may replace them.
_state, _load = nn.Module.state_dict, nn.Module.load_state_dict
_default, _set_default = torch.get_default_dtype, torch.set_default_dtype


@contextlib.contextmanager
def doubles(wanted: bool) -> Iterator[None]:
    """Have float64 as torch's default dtype, where that is wanted."""
    before = _default()
    if wanted:
        _set_default(torch.float64)
    try:
        yield
    finally:
        if wanted:
            _set_default(before)


@contextlib.contextmanager
def other_weights(modules: Sequence[nn.Module]) -> Iterator[None]:
    """Give them other weights, and load those that they had at the end."""
    loaded = [{name: each.clone() for name, each in _state(module).items()} for module in modules]
    with torch.no_grad():
        for each in (weight for module in modules for weight in module.parameters()):
            each.mul_(2)
    yield
    for module, weights in zip(modules, loaded, strict=True):
        _load(module, weights, strict=False)
