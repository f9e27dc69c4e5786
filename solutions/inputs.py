"""Inputs that the checks of several assignments draw: sentences as token ids, and masks."""

import torch

from autograder.checking import Draw


def draw_tokens(
    draw: Draw, batch: int, t: int, vocab_size: int = 50, pad_id: int = 0
) -> torch.Tensor:
    """Token ids (batch, t); the last third of each row holds pads here and there.

    The first token of a row is always real, the last one of the first row always a pad.
    """
    drawn = torch.randint(1, vocab_size, (batch, t), generator=draw.generator)
    drawn = torch.where(drawn == pad_id, 0, drawn)  # a real one when pad_id is another
    pads = torch.rand((batch, t), generator=draw.generator) < 0.5
    pads[:, : t - t // 3] = False
    pads[0, -1] = True
    return drawn.masked_fill(pads, pad_id)


def draw_mask(draw: Draw, *shape: int) -> torch.Tensor:
    """A bool mask in which each row blocks at least one key and allows at least one."""
    allowed = torch.rand(shape, generator=draw.generator) < 0.6
    order = torch.rand(shape, generator=draw.generator).argsort(-1)
    allowed.scatter_(-1, order[..., :1], True)
    return allowed.scatter_(-1, order[..., 1:2], False)


def mask_that(draw: Draw, blocks: str, *shape: int) -> torch.Tensor:
    """A bool mask that blocks "some" keys of each row, or "none", or all of the first "row"."""
    mask = draw_mask(draw, *shape)
    if blocks == "none":
        mask[:] = True
    if blocks == "row":
        mask.view(-1, shape[-1])[0] = False
    return mask
