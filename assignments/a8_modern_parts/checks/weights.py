"""Weights for a module, drawn in whole numbers: the same on every machine and version of torch."""

from collections.abc import Mapping, Sequence

import torch

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
