# Every answer is something else, in turn.
# may cost points
import itertools

import torch

TURNS = itertools.cycle(
    [None, True, -1, 1 << 200, 1e400, float("nan"), "text", b"bytes", [], {}, (), {1: 2}, object(), ...]
)


def spoil(value):
    return next(TURNS)
