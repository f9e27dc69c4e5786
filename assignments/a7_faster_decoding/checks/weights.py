"""Weights for a module: drawn in whole numbers, the same everywhere, and loaded into it."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import nn

# Constants of SplitMix64 (Steele, Lea and Flood 2014), as signed 64-bit numbers.
_STEP, _FIRST, _SECOND = -7046029254386353131, -4658895280553007687, -7723592293110705685


def drawn_weights(shapes: Mapping[str, Sequence[int]], seed: int) -> dict[str, torch.Tensor]:
    """Weights of these names and shapes, in float64, so large that every step leaves its mark.

    Matrices keep the size of what they are applied to; a norm's weights are about 1; biases are
    between -0.5 and 0.5.
    """
    sizes = [torch.Size(shape).numel() for shape in shapes.values()]
    parts = torch.split(uniform(sum(sizes), seed), sizes)
    weights = {}
    for (name, shape), part in zip(shapes.items(), parts, strict=True):
        if len(shape) > 1:
            part = part * (3 / shape[-1]) ** 0.5
        else:
            part = part / 2 + (1 if name.endswith("weight") else 0)
        weights[name] = part.reshape(tuple(shape))
    return weights


def load(
    module: nn.Module, weights: Mapping[str, torch.Tensor], make: Callable[[], nn.Module]
) -> str | None:
    """Load weights by name; the name of one that is not kept, where there is one.

    What the module has besides, which costs what is asked of it by name alone, stays as `make`
    makes it, and is zero where that draws it.
    """
    if module.state_dict().keys() != weights.keys():
        with torch.no_grad():
            for each, again in zip(module.parameters(), make().parameters(), strict=False):
                if not torch.equal(each, again.to(each.dtype)):
                    each.zero_()
    module.load_state_dict({**module.state_dict(), **weights})
    kept = module.state_dict()
    lost = (
        name for name, each in weights.items() if not torch.equal(kept[name], each.to(kept[name]))
    )
    return next(lost, None)


def uniform(count: int, seed: int) -> torch.Tensor:
    """Numbers between -1 and 1."""
    bits = torch.arange(1, count + 1) * _STEP + seed  # int64 wraps around
    bits = (bits ^ _shifted(bits, 30)) * _FIRST
    bits = (bits ^ _shifted(bits, 27)) * _SECOND
    return (
        bits ^ _shifted(bits, 31)
    ).double() / 2.0**63  # torch 2.2 takes no whole number of this size


def _shifted(bits: torch.Tensor, by: int) -> torch.Tensor:
    """To the right as if without a sign, which `>>` would carry along."""
    return (bits >> by) & ((1 << (64 - by)) - 1)
