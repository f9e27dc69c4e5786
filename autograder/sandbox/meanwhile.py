"""What is otherwise while a call is made, or an earlier one, and is put back at its end."""

import contextlib
from collections.abc import Iterator, Sequence

import torch
from torch import nn

# As they are before a student's code may replace them.
_state, _load = nn.Module.state_dict, nn.Module.load_state_dict


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
