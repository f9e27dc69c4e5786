# Each call asks for a tensor of a tebibyte, then for all that it can have.
# may cost points
import torch

kept = []


def strike():
    try:
        kept.append(torch.ones(1 << 40))
    except RuntimeError:
        pass
    while True:
        kept.append(torch.ones(1 << 20))
