"""Draws a case's inputs from its own seed, never from torch's global state."""

import torch


class Draw:
    """Random tensors, the same for the same seed; `generator` draws what else is needed."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Standard normal values."""
        values = torch.randn(shape, generator=self.generator, dtype=torch.float64)
        return values.to(dtype)
