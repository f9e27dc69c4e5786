"""The weights that are loaded into modules: the same everywhere, of both signs, never the same."""

import torch

from autograder.handout.checks.weights import drawn_weights

SHAPES = {"linear.weight": (40, 30), "linear.bias": (500,), "norm.weight": (500,)}
MASK = (1 << 64) - 1


def splitmix(count, seed):
    """SplitMix64 in Python's own numbers, as signed fractions."""
    for number in range(1, count + 1):
        bits = (seed + number * 0x9E3779B97F4A7C15) & MASK
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        bits ^= bits >> 31
        yield (bits - (1 << 64) if bits >> 63 else bits) / 2**63


def test_they_are_the_numbers_of_splitmix():
    drawn = drawn_weights({"bias": (1000,)}, seed=12345)["bias"] * 2
    assert drawn.tolist() == list(splitmix(1000, 12345))


def test_they_spread_as_they_should():
    drawn = drawn_weights(SHAPES, seed=7)
    assert {name: tuple(each.shape) for name, each in drawn.items()} == SHAPES
    matrix, bias, norm = drawn.values()
    assert abs(matrix.mean()) < 0.02
    assert 0.9 < matrix.std() * 30**0.5 < 1.1
    assert -0.5 <= bias.min() < -0.45 < 0.45 < bias.max() <= 0.5
    assert 0.5 <= norm.min() < 0.55 < 1.45 < norm.max() <= 1.5
    assert all(each.dtype == torch.float64 for each in drawn.values())


def test_another_seed_gives_others():
    one, other = drawn_weights(SHAPES, 1), drawn_weights(SHAPES, 2)
    assert not any(torch.equal(one[name], other[name]) for name in SHAPES)
