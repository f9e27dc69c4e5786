"""What later assignments are given, made small, and how it is held against something else."""

import torch
from reference import load_shared

given = load_shared("given")

TOLERANCE = 1e-10
BATCH, N_HEADS, T_Q, T_K, D_MODEL, D_FF = 2, 3, 5, 7, 12, 20


def normal(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def some_mask(*shape, seed=1):
    """A mask that blocks about half, and leaves each query a key."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(shape, generator=generator) < 0.5
    return mask.scatter(-1, torch.randint(shape[-1], (*shape[:-1], 1), generator=generator), True)


def filled(module):
    """The module in float64 with weights that are no module's initial ones."""
    module = module.double()
    weights = module.state_dict()
    for seed, (name, old) in enumerate(weights.items()):
        weights[name] = normal(*old.shape, seed=100 + seed) / max(old.shape[-1:]) ** 0.5
    module.load_state_dict(weights)
    return module


def assert_close(actual, expected, tolerance=TOLERANCE):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def results(function, inputs, weights=()):
    """The first output, and the gradients of the inputs and of the weights."""
    leaves = [each.clone().requires_grad_() for each in inputs]
    output = function(*leaves)
    output = output[0] if isinstance(output, tuple) else output
    upstream = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).reshape(output.shape)
    return output, *torch.autograd.grad(output, [*leaves, *weights], upstream)


def small(**options):
    return given.Transformer(11, 13, D_MODEL, N_HEADS, D_FF, 2, **options)


SOURCE = torch.tensor([[3, 4, 10, 9, 0, 0, 0], [5, 0, 6, 7, 8, 1, 2]])
TARGET = torch.tensor([[0, 1, 12, 0, 3], [1, 2, 3, 4, 11]])  # the first row of it may see nothing
SENTENCES = torch.cat([SOURCE, SOURCE.flip(1).roll(1, 0), (SOURCE + 3) % 11])


def writer(seed=1, **options):
    """A model that writes different words to different sentences."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return small(**options).double().eval()
