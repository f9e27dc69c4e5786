"""The reference of a1_attention against torch's own attention and against plain loops."""

import importlib.util
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

SOURCE = Path(__file__).resolve().parents[2] / "solutions" / "a1_attention" / "a1_attention.py"
TOLERANCE = 1e-12

# The first calls of torch are slow, and no time says anything about the reference.
relaxed = settings(deadline=None)


def load_reference():
    spec = importlib.util.spec_from_file_location("a1_attention_reference", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


a1 = load_reference()


@st.composite
def problems(draw, masked):
    """q, k, v in float64 and a mask that leaves each query a key (None unless masked)."""
    sizes = st.integers(2, 9)
    batch, n_heads, t_q, t_k, d_k, d_v = draw(
        st.lists(sizes, min_size=6, max_size=6, unique=True),
        label="batch, heads, t_q, t_k, d_k, d_v",
    )
    leading = draw(st.sampled_from([(), (batch,), (batch, n_heads)]), label="leading")
    if draw(st.booleans(), label="one query"):
        t_q = 1
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32), label="seed"))

    def normal(*shape):
        return torch.randn(*leading, *shape, dtype=torch.float64, generator=generator)

    spread = draw(st.sampled_from([0.1, 1.0, 3.0]), label="spread")
    q, k, v = spread * normal(t_q, d_k), spread * normal(t_k, d_k), normal(t_k, d_v)
    if not masked:
        return q, k, v, None

    shapes = {
        (): [(t_q, t_k)],
        (batch,): [(t_q, t_k), (batch, 1, t_k), (batch, t_q, t_k)],
        (batch, n_heads): [(t_q, t_k), (batch, 1, 1, t_k), (batch, n_heads, t_q, t_k)],
    }
    shape = draw(st.sampled_from(shapes[leading]), label="mask shape")
    mask = torch.rand(shape, generator=generator) < draw(st.sampled_from([0.2, 0.5, 0.9]))
    allowed = torch.randint(t_k, (*shape[:-1], 1), generator=generator)
    return q, k, v, mask.scatter(-1, allowed, True)


def gradients(attend, q, k, v, mask):
    """The output and the gradients of q, k and v for one fixed upstream gradient."""
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    output = attend(*leaves, mask)
    upstream = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).reshape(output.shape)
    return output, *torch.autograd.grad(output, leaves, upstream)


def ours(q, k, v, mask):
    return a1.scaled_dot_product_attention(q, k, v, mask)[0]


def assert_close(actual, expected, tolerance=TOLERANCE):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("masked", [False, True])
@relaxed
@given(data=st.data())
def test_output_and_gradients_equal_those_of_torch(masked, data):
    q, k, v, mask = data.draw(problems(masked))
    expected = gradients(F.scaled_dot_product_attention, q, k, v, mask)
    for actual, right in zip(gradients(ours, q, k, v, mask), expected, strict=True):
        assert_close(actual, right)


@pytest.mark.parametrize("masked", [False, True])
@relaxed
@given(data=st.data())
def test_weights_equal_those_that_torch_mixes_the_identity_with(masked, data):
    q, k, v, mask = data.draw(problems(masked))
    t_k = k.shape[-2]
    identity = torch.eye(t_k, dtype=torch.float64).expand(*k.shape[:-2], t_k, t_k)
    output, weights = a1.scaled_dot_product_attention(q, k, v, mask)
    assert_close(weights, F.scaled_dot_product_attention(q, k, identity, mask))
    assert_close(weights.sum(-1), torch.ones(q.shape[:-1], dtype=torch.float64))
    assert_close(output, weights @ v)
    if mask is not None:
        assert (weights.masked_select(~mask) == 0).all()


@relaxed
@given(problem=problems(masked=True))
def test_a_blocked_key_has_no_influence_and_no_gradient(problem):
    q, k, v, mask = problem
    mask = mask.clone()
    mask[..., 0] = False  # key 0 is seen by nobody, and key 1 by everybody
    mask[..., 1] = True
    other_k, other_v = k.clone(), v.clone()
    other_k[..., 0, :] = 1e4 * q[..., 0, :]  # by far the loudest, if it could be heard
    other_v[..., 0, :] = -1e4
    for dtype in (torch.float32, torch.float64):
        before = a1.scaled_dot_product_attention(*(x.to(dtype) for x in (q, k, v)), mask)
        after = a1.scaled_dot_product_attention(*(x.to(dtype) for x in (q, other_k, other_v)), mask)
        for x, y in zip(before, after, strict=True):
            assert torch.equal(x, y)
        assert (after[1].masked_select(~mask) == 0).all()
    _, _, grad_k, grad_v = gradients(ours, q, other_k, other_v, mask)
    assert (grad_k[..., 0, :] == 0).all()
    assert (grad_v[..., 0, :] == 0).all()
    assert (grad_v[..., 1, :] != 0).any()


@relaxed
@given(problem=problems(masked=True))
def test_a_fully_blocked_query_gives_zeros_and_adds_nothing_to_gradients(problem):
    q, k, v, mask = problem
    mask = mask.expand(*q.shape[:-1], k.shape[-2]).clone()
    mask[..., 0, :] = False
    # Anomaly detection finds a NaN even where a later step would hide it.
    with pytest.warns(UserWarning, match="Anomaly Detection"), torch.autograd.detect_anomaly():
        output, *grads = gradients(ours, q, k, v, mask)
    _, weights = a1.scaled_dot_product_attention(q, k, v, mask)
    assert (output[..., 0, :] == 0).all()
    assert (weights[..., 0, :] == 0).all()
    assert (grads[0][..., 0, :] == 0).all()
    if q.shape[-2] == 1:
        assert all((grad == 0).all() for grad in grads)
        return

    def without_query_0(q, k, v, mask):
        rest = F.scaled_dot_product_attention(q[..., 1:, :], k, v, mask[..., 1:, :])
        return torch.cat([torch.zeros_like(rest[..., :1, :]), rest], dim=-2)

    expected = gradients(without_query_0, q, k, v, mask)
    for actual, right in zip((output, *grads), expected, strict=True):
        assert_close(actual, right)


@relaxed
@given(problem=problems(masked=True))
def test_keeps_the_dtype_reads_any_layout_and_leaves_its_inputs_alone(problem):
    q, k, v, mask = problem
    copies = [x.clone() for x in problem]
    right = a1.scaled_dot_product_attention(q, k, v, mask)
    strided = [x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in (q, k, v)]
    for actual, expected in zip(
        a1.scaled_dot_product_attention(*strided, mask), right, strict=True
    ):
        assert_close(actual, expected)
    single = a1.scaled_dot_product_attention(q.float(), k.float(), v.float(), mask)
    for actual, expected in zip(single, right, strict=True):
        assert actual.dtype == torch.float32
        assert_close(actual.double(), expected, tolerance=1e-4)
    assert all(torch.equal(x, y) for x, y in zip(problem, copies, strict=True))


def test_stays_finite_for_inputs_a_hundred_times_as_large():
    generator = torch.Generator().manual_seed(0)
    q, k, v = (100 * torch.randn(2, t, 4, generator=generator) for t in (3, 5, 5))
    for tensor in a1.scaled_dot_product_attention(q, k, v):
        assert tensor.isfinite().all()


def test_stays_on_the_device_of_its_inputs():
    q, k, v = (torch.empty(2, t, 4, device="meta") for t in (3, 5, 5))
    mask = torch.empty(3, 5, dtype=torch.bool, device="meta")
    for tensor in a1.scaled_dot_product_attention(q, k, v, mask):
        assert tensor.device.type == "meta"
    tokens = torch.empty(2, 5, dtype=torch.int64, device="meta")
    assert a1.padding_mask(tokens).device.type == "meta"
    assert a1.causal_mask(5, device="meta").device.type == "meta"
    assert a1.causal_mask(5).device.type == "cpu"


def test_the_numbers_found_by_hand_are_those_of_the_function():
    assert a1.hand_weights.shape == (2, 3)
    assert a1.hand_output.shape == (2, 2)
    output, weights = a1.scaled_dot_product_attention(a1.example_q, a1.example_k, a1.example_v)
    assert (a1.hand_weights - weights).abs().max() < 5e-3
    assert (a1.hand_output - output).abs().max() < 5e-3


@relaxed
@given(data=st.data())
def test_padding_mask_is_true_at_every_token_that_is_not_padding(data):
    batch, t = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    row = st.lists(st.integers(0, 3), min_size=t, max_size=t)
    rows = data.draw(st.lists(row, min_size=batch, max_size=batch))
    pad_id = data.draw(st.integers(0, 3))
    tokens = torch.tensor(rows)
    mask = a1.padding_mask(tokens, pad_id=pad_id)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[[[token != pad_id for token in row]]] for row in rows]
    assert tokens.tolist() == rows
    assert torch.equal(a1.padding_mask(tokens), a1.padding_mask(tokens, 0))


@relaxed
@given(size=st.integers(1, 12))
def test_causal_mask_is_true_up_to_the_position_itself(size):
    mask = a1.causal_mask(size)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[j <= i for j in range(size)] for i in range(size)]


@relaxed
@given(lengths=st.lists(st.integers(1, 6), min_size=2, max_size=4))
def test_both_masks_leave_the_real_tokens_up_to_the_query(lengths):
    t = 6
    tokens = torch.tensor([[7] * length + [0] * (t - length) for length in lengths])
    both = a1.padding_mask(tokens) & a1.causal_mask(t)
    assert both.tolist() == [
        [[[j <= i and j < length for j in range(t)] for i in range(t)]] for length in lengths
    ]
