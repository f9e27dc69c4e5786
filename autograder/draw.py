"""Draws a case's inputs from its own seed, never from torch's global state."""

import torch


class Draw:
    """Random tensors, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Standard normal values."""
        values = torch.randn(shape, generator=self._generator, dtype=torch.float64)
        return values.to(dtype)

    def tokens(self, batch: int, t: int, vocab_size: int = 50, pad_id: int = 0) -> torch.Tensor:
        """Token ids (batch, t); the last third of each row holds pads here and there.

        The first token of a row is always real, the last one of the first row always a pad.
        """
        tokens = torch.randint(1, vocab_size, (batch, t), generator=self._generator)
        tokens = torch.where(tokens == pad_id, 0, tokens)  # a real one when pad_id is another
        pads = torch.rand((batch, t), generator=self._generator) < 0.5
        pads[:, : t - t // 3] = False
        pads[0, -1] = True
        return tokens.masked_fill(pads, pad_id)

    def mask(self, *shape: int) -> torch.Tensor:
        """A bool mask in which each row blocks at least one key and allows at least one."""
        mask = torch.rand(shape, generator=self._generator) < 0.6
        order = torch.rand(shape, generator=self._generator).argsort(-1)
        mask.scatter_(-1, order[..., :1], True)
        return mask.scatter_(-1, order[..., 1:2], False)
