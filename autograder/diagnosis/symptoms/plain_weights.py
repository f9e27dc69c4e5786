"""Weights that need no writing down in an example."""

from collections.abc import Mapping

import torch
from torch import Tensor

from autograder.sandbox.modules import Blueprint


def identical(blueprint: Blueprint) -> Blueprint:
    """The same with weights that need no writing down."""
    return blueprint.with_weights(
        {name: _plain(name, each) for name, each in (blueprint.weights or {}).items()}
    )


def _kind(name: str, weights: Tensor) -> str:
    if weights.dim() == 2:
        return "identity matrices"
    return "ones" if name.endswith("weight") else "zeros"


def _plain(name: str, weights: Tensor) -> Tensor:
    kind = _kind(name, weights)
    if kind == "identity matrices":
        return torch.eye(*weights.shape, dtype=weights.dtype)
    return torch.ones_like(weights) if kind == "ones" else torch.zeros_like(weights)


def said_of(weights: Mapping[str, Tensor]) -> str:
    """What weights that need no writing down are."""
    kinds = {_kind(name, each) for name, each in weights.items()}
    of_weights = [each for each in ("identity matrices", "ones") if each in kinds]
    said = [f"{' and '.join(of_weights)} as weights"] if of_weights else []
    if "zeros" in kinds:
        zeros = [name for name, each in weights.items() if _kind(name, each) == "zeros"]
        biases = all(name.endswith("bias") for name in zeros)
        said.append("biases of 0" if biases else "zeros for all else")
    return f", with {' and '.join(said)}"
