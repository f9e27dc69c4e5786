"""Inputs come from a case's own seed and keep what the checks rely on."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import load_shared

from autograder.checking.draw import Draw

inputs = load_shared("inputs")
relaxed = settings(deadline=None)
SEEDS = st.integers(0, 2**63 - 1)


def drawn(seed):
    draw = Draw(seed)
    floats = draw.normal(2, 3), draw.normal(4, dtype=torch.float32)
    return (
        *floats,
        inputs.draw_tokens(draw, 3, 7),
        inputs.draw_tokens(draw, 3, 7, pad_id=49),
        inputs.draw_mask(draw, 2, 5, 7),
    )


@relaxed
@given(SEEDS)
def test_the_same_seed_gives_the_same_tensors(seed):
    for one, other in zip(drawn(seed), drawn(seed), strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)


def test_another_seed_and_a_second_draw_give_others():
    draw = Draw(1)
    first, second = draw.normal(50), draw.normal(50)
    assert not torch.equal(first, second)
    assert not torch.equal(first, Draw(2).normal(50))


def test_torchs_global_state_is_neither_read_nor_changed():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    one = drawn(5)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(1)
    assert all(map(torch.equal, one, drawn(5)))


def test_normal_values_look_normal():
    values = Draw(3).normal(100, 1000)
    assert values.dtype == torch.float64
    assert abs(values.mean()) < 0.02
    assert abs(values.std() - 1) < 0.02
    assert Draw(3).normal(2, dtype=torch.float32).dtype == torch.float32


@relaxed
@given(SEEDS, st.lists(st.integers(1, 4), max_size=3), st.integers(2, 9))
def test_each_row_of_a_mask_allows_a_key_and_blocks_one(seed, leading, t_k):
    mask = inputs.draw_mask(Draw(seed), *leading, t_k)
    assert mask.shape == (*leading, t_k)
    assert mask.dtype == torch.bool
    assert mask.any(-1).all()
    assert (~mask).any(-1).all()


@relaxed
@given(SEEDS, st.integers(1, 5), st.integers(2, 12), st.integers(2, 50), st.data())
def test_tokens_are_real_at_the_start_and_padded_at_the_end(seed, batch, t, vocab_size, data):
    pad_id = data.draw(st.integers(0, vocab_size - 1), label="pad_id")
    tokens = inputs.draw_tokens(Draw(seed), batch, t, vocab_size, pad_id)
    assert tokens.shape == (batch, t)
    assert tokens.dtype == torch.int64
    assert tokens.min() >= 0
    assert tokens.max() < vocab_size
    is_pad = tokens == pad_id
    assert not is_pad[:, 0].any()
    assert is_pad[0, -1]
    early = is_pad[:, : t - t // 3].clone()
    early[0, -1] &= t // 3 > 0  # in a row too short to have a last third
    assert not early.any()


@pytest.mark.parametrize("pad_id", [0, 7, 49])
def test_pads_stand_here_and_there(pad_id):
    rows = inputs.draw_tokens(Draw(0), 20, 9, pad_id=pad_id)[:, -3:] == pad_id
    assert 0.2 < rows[1:].double().mean() < 0.8
