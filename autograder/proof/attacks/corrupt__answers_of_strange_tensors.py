# Every answer is a tensor of another strange kind, in turn.
# may cost points
import itertools

import torch

TURNS = itertools.cycle(
    [
        lambda x: x.to("meta"),
        lambda x: x.to_sparse(),
        lambda x: x.to(torch.bool),
        lambda x: x.to(torch.complex64),
        lambda x: x.to(torch.float8_e4m3fn),
        lambda x: x[..., :0],
        lambda x: x.new_zeros(()),
        lambda x: x.new_zeros(1).expand(1 << 40),
        lambda x: torch.nested.nested_tensor([x.flatten()]),
        lambda x: x.new_zeros([1] * 70),
        lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8),
        lambda x: torch.nn.Parameter(x.detach()),
    ]
)


def spoil(value):
    return next(TURNS)(value) if isinstance(value, torch.Tensor) else value
