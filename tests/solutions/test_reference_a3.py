"""The reference of a3_positional_encoding against Python's own arithmetic, number by number."""

import math
import re
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import load_reference
from torch import nn

# The first calls of torch are slow, and no time says anything about the reference.
relaxed = settings(deadline=None)

a3 = load_reference("a3_positional_encoding")

# One rounding to float32, whose numbers around 1 are this far apart, plus a little for float64.
ROUNDING = 2.0**-25 + 1e-12
PI = Fraction(31415926535897932384626433832795028841971693993751058209749445923078164, 10**70)

even = st.integers(1, 40).map(lambda pairs: 2 * pairs)


def slow_encoding(position, d_model):
    """One row of the paper's table, a number at a time."""
    row = []
    for i in range(d_model // 2):
        angle = position / math.pow(10000, 2 * i / d_model)
        row += [math.sin(angle), math.cos(angle)]
    return row


def exact_sine(angle):
    """The sine of a fraction from its power series in whole arithmetic, to 60 digits."""
    scale = 10**60
    angle = angle - 2 * PI * round(angle / (2 * PI))
    term = total = Fraction(round(angle * scale), scale)
    for n in range(1, 40):
        term = Fraction(round(-term * angle**2 / (2 * n * (2 * n + 1)) * scale), scale)
        total += term
    return float(total)


def normal(*shape, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator).to(dtype)


@relaxed
@given(max_len=st.integers(1, 70), d_model=even)
def test_the_table_is_that_of_plain_loops_but_for_one_rounding(max_len, d_model):
    table = a3.sinusoidal_encoding(max_len, d_model)
    assert table.shape == (max_len, d_model)
    assert table.dtype == torch.float32
    expected = [slow_encoding(position, d_model) for position in range(max_len)]
    expected = torch.tensor(expected, dtype=torch.float64)
    assert (table.double() - expected).abs().max() <= ROUNDING


@pytest.mark.parametrize("d_model", [2, 6, 512])
def test_far_out_it_is_still_right_to_the_last_bit(d_model):
    table = a3.sinusoidal_encoding(10_001, d_model)
    for position in (1000, 4999, 5000, 10_000):
        expected = torch.tensor(slow_encoding(position, d_model), dtype=torch.float64)
        assert (table[position].double() - expected).abs().max() <= ROUNDING


def test_whole_arithmetic_says_the_same_where_the_angle_is_a_fraction():
    # With four columns the divisors are 1 and 100, and no power has to be rounded.
    table = a3.sinusoidal_encoding(5001, 4)
    for position in (1, 2, 355, 710, 4321, 5000):
        angles = Fraction(position), Fraction(position, 100)
        expected = [exact_sine(angle + turn) for angle in angles for turn in (0, PI / 2)]
        expected = torch.tensor(expected, dtype=torch.float64)
        assert (table[position].double() - expected).abs().max() <= ROUNDING


def test_the_row_printed_in_the_notebook():
    printed = torch.tensor([0.8415, 0.5403, 0.0100, 0.99995])
    assert (a3.sinusoidal_encoding(2, 4)[1] - printed).abs().max() < 5.1e-5


def test_the_table_has_the_default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        table = a3.sinusoidal_encoding(3, 4)
    finally:
        torch.set_default_dtype(torch.float32)
    rows = [slow_encoding(position, 4) for position in range(3)]
    assert table.dtype == torch.float64
    assert (table - torch.tensor(rows, dtype=torch.float64)).abs().max() < 1e-14


@relaxed
@given(d_model=even, distance=st.integers(0, 30))
def test_a_dot_product_depends_on_the_distance_alone(d_model, distance):
    table = a3.sinusoidal_encoding(60, d_model).double()
    dots = (table[: 60 - distance] * table[distance:]).sum(-1)
    expected = sum(math.cos(distance / 10000 ** (2 * i / d_model)) for i in range(d_model // 2))
    assert (dots - expected).abs().max() < 1e-6 * d_model
    assert expected < d_model / 2 or distance == 0


@pytest.mark.parametrize("d_model", [1, 13, 511])
def test_an_odd_number_of_columns_is_refused(d_model):
    with pytest.raises(ValueError, match=rf"\b{d_model}\b"):
        a3.sinusoidal_encoding(5, d_model)
    with pytest.raises(ValueError, match=rf"\b{d_model}\b"):
        a3.PositionalEncoding(d_model)


@relaxed
@given(data=st.data())
def test_the_embedding_looks_up_scales_and_adds_up_gradients(data):
    vocab_size, d_model = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    row = st.lists(st.integers(0, vocab_size - 1), min_size=3, max_size=3)
    tokens = data.draw(st.lists(row, min_size=1, max_size=3))
    ours = a3.TokenEmbedding(vocab_size, d_model).double()
    assert {name: each.shape for name, each in ours.state_dict().items()} == {
        "embedding.weight": (vocab_size, d_model)
    }
    weight, upstream = ours.embedding.weight, normal(len(tokens), 3, d_model)
    output = ours(torch.tensor(tokens))
    gradient = torch.zeros_like(weight)
    for i, sentence in enumerate(tokens):
        for j, token in enumerate(sentence):
            right = math.sqrt(d_model) * weight[token].detach()
            assert torch.allclose(output[i, j], right, rtol=1e-12, atol=0)
            gradient[token] += math.sqrt(d_model) * upstream[i, j]
    (got,) = torch.autograd.grad((output * upstream).sum(), weight)
    assert torch.allclose(got, gradient, rtol=1e-12, atol=1e-12)


@relaxed
@given(batch=st.integers(1, 5), t=st.integers(1, 9), d_model=even)
def test_each_position_gets_its_row_in_every_sentence(batch, t, d_model):
    ours = a3.PositionalEncoding(d_model, max_len=9).to(torch.float64).eval()
    x = normal(batch, t, d_model).requires_grad_()
    before = x.detach().clone()
    output = ours(x)
    for i in range(batch):
        for position in range(t):
            row = torch.tensor(slow_encoding(position, d_model), dtype=torch.float64)
            assert (output[i, position] - x[i, position] - row).abs().max() <= ROUNDING
    assert output.dtype == torch.float64
    assert torch.equal(x, before)
    upstream = normal(batch, t, d_model, seed=1)
    (gradient,) = torch.autograd.grad((output * upstream).sum(), x)
    assert torch.equal(gradient, upstream)


def test_the_table_is_a_buffer_that_moves_and_is_not_saved():
    ours = a3.PositionalEncoding(6, max_len=9)
    assert dict(ours.named_parameters()) == {}
    assert ours.state_dict() == {}
    assert torch.equal(dict(ours.named_buffers())["encoding"], a3.sinusoidal_encoding(9, 6))
    assert ours.to(torch.float64).encoding.dtype == torch.float64
    assert ours.to("meta")(torch.empty(2, 5, 6, device="meta")).device.type == "meta"


def test_as_many_positions_as_asked_for_and_no_more():
    for module, max_len in ((a3.PositionalEncoding(4), 5000), (a3.PositionalEncoding(4, 7), 7)):
        assert module.eval()(torch.zeros(2, max_len, 4)).shape == (2, max_len, 4)
        with pytest.raises(ValueError, match="longer") as refused:
            module(torch.zeros(2, max_len + 1, 4))
        assert set(re.findall(r"\d+", str(refused.value))) == {str(max_len), str(max_len + 1)}


def test_dropout_is_for_training_and_comes_last():
    x, dropout = normal(50, 9, 12), 0.3
    ours = a3.PositionalEncoding(12, max_len=9, dropout=dropout).to(torch.float64)
    torch.manual_seed(0)
    ours.eval()
    total = ours(x)
    assert torch.equal(total, ours(x))
    ours.train()
    output = ours(x)
    kept = output != 0
    assert torch.allclose(output[kept], total[kept] / (1 - dropout), rtol=1e-12, atol=0)
    assert abs(kept.double().mean() - (1 - dropout)) < 0.03
    everything = a3.PositionalEncoding(12, max_len=9, dropout=1.0).to(torch.float64)
    assert torch.equal(everything(x), torch.zeros_like(x))
    default = a3.PositionalEncoding(12)
    assert [each.p for each in default.modules() if isinstance(each, nn.Dropout)] == [0.1]
