"""The reference of a2_multi_head against torch's own multi-head attention and against loops."""

import math
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import load_reference
from torch import nn

TOLERANCE = 1e-10
PARTS = ("q_proj", "k_proj", "v_proj", "out_proj")
NAMES = [f"{part}.{name}" for part in PARTS for name in ("weight", "bias")]

# The first calls of torch are slow, and no time says anything about the reference.
relaxed = settings(deadline=None, max_examples=50)

a2 = load_reference("a2_multi_head")


@st.composite
def problems(draw, use, masking):
    """A module in float64, query, key and value, and a mask that leaves each query a key."""
    n_heads, d_k = draw(st.integers(1, 4), label="heads"), draw(st.integers(1, 5), label="d_k")
    batch = draw(st.integers(1, 4), label="batch")
    t_q, t_k = draw(
        st.lists(st.integers(1, 8), min_size=2, max_size=2, unique=True), label="t_q, t_k"
    )
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32), label="seed"))

    def normal(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    d_model = n_heads * d_k
    ours = a2.MultiHeadAttention(d_model, n_heads).double()
    ours.load_state_dict(
        {name: normal(*old.shape) / d_model**0.25 for name, old in ours.state_dict().items()}
    )
    query = normal(batch, t_q, d_model)
    if use == "self":
        t_k, key, value = t_q, query, query
    else:
        key, value = normal(batch, t_k, d_model), normal(batch, t_k, d_model)
    return ours, query, key, value, _mask(draw, masking, (batch, n_heads, t_q, t_k), generator)


def _mask(draw, masking, sizes, generator):
    batch, n_heads, t_q, t_k = sizes
    if masking == "none":
        return None
    if masking == "any":
        shapes = [(t_q, t_k), (t_k,), (batch, 1, 1, t_k), (batch, 1, t_q, t_k), sizes]
        shape = draw(st.sampled_from([*shapes, (n_heads, 1, t_k)]), label="mask shape")
        mask = torch.rand(shape, generator=generator) < 0.6
        return mask.scatter(-1, torch.randint(t_k, (*shape[:-1], 1), generator=generator), True)
    lengths = torch.randint(1, t_k + 1, (batch, 1, 1, 1), generator=generator)
    padding = torch.arange(t_k) < lengths
    causal = torch.ones(t_q, t_k, dtype=torch.bool).tril()
    return {"padding": padding, "causal": causal, "both": padding & causal}[masking]


def by_torch(ours):
    """torch's own module with the same numbers in it."""
    d_model = ours.q_proj.in_features
    theirs = nn.MultiheadAttention(d_model, ours.n_heads, batch_first=True, dtype=torch.float64)
    mine = [getattr(ours, part) for part in PARTS]
    theirs.load_state_dict(
        {
            "in_proj_weight": torch.cat([each.weight for each in mine[:3]]),
            "in_proj_bias": torch.cat([each.bias for each in mine[:3]]),
            "out_proj.weight": mine[3].weight,
            "out_proj.bias": mine[3].bias,
        }
    )
    return theirs


def torch_mask(mask, ours, query, key):
    """Torch's masks say whom to block, and have batch and heads in one axis."""
    if mask is None:
        return None
    full = mask.expand(query.shape[0], ours.n_heads, query.shape[1], key.shape[1])
    return ~full.flatten(0, 1)


def gradients(output, leaves):
    upstream = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).reshape(output.shape)
    return torch.autograd.grad(output, leaves, upstream)


def leaves_of(*tensors):
    """Copies that ask for a gradient; one for tensors that are the same."""
    copies = {id(each): each.clone().requires_grad_() for each in tensors}
    return [copies[id(each)] for each in tensors], list(copies.values())


def assert_close(actual, expected, tolerance=TOLERANCE):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("masking", ["none", "padding", "causal", "both", "any"])
@pytest.mark.parametrize("use", ["self", "cross"])
@relaxed
@given(data=st.data())
def test_output_weights_and_gradients_equal_those_of_torch(use, masking, data):
    ours, *inputs, mask = data.draw(problems(use, masking))
    theirs = by_torch(ours)

    (query, key, value), leaves = leaves_of(*inputs)
    expected, right_weights = theirs(
        *(query, key, value),
        attn_mask=torch_mask(mask, ours, query, key),
        average_attn_weights=False,
    )
    packed = gradients(
        expected,
        [
            *leaves,
            theirs.in_proj_weight,
            theirs.in_proj_bias,
            theirs.out_proj.weight,
            theirs.out_proj.bias,
        ],
    )
    *of_inputs, in_weight, in_bias, out_weight, out_bias = packed
    pairs = zip(in_weight.chunk(3), in_bias.chunk(3), strict=True)
    right = [*of_inputs, *(each for pair in pairs for each in pair), out_weight, out_bias]

    (query, key, value), leaves = leaves_of(*inputs)
    output = ours(query, key, value, mask)
    found = gradients(output, [*leaves, *(ours.get_parameter(name) for name in NAMES)])

    assert_close(output, expected)
    assert_close(ours.weights, right_weights.detach())
    assert not ours.weights.requires_grad
    for actual, one in zip(found, right, strict=True):
        assert_close(actual, one)
    if mask is not None:
        assert (ours.weights.masked_select(~mask.expand(ours.weights.shape)) == 0).all()


@relaxed
@given(problem=problems("cross", "any"))
def test_every_head_is_attention_between_its_own_rows_of_the_projections(problem):
    ours, query, key, value, mask = problem
    d_model, n_heads = ours.q_proj.in_features, ours.n_heads
    d_k = d_model // n_heads
    batch, t_q, t_k = query.shape[0], query.shape[1], key.shape[1]
    output = ours(query, key, value, mask)
    full = mask.expand(batch, n_heads, t_q, t_k)
    answers = torch.zeros(batch, t_q, d_model, dtype=torch.float64)
    for b in range(batch):
        for h in range(n_heads):
            rows = slice(h * d_k, (h + 1) * d_k)
            q, k, v = (
                x[b] @ part.weight[rows].T + part.bias[rows]
                for x, part in zip(
                    (query, key, value), (ours.q_proj, ours.k_proj, ours.v_proj), strict=True
                )
            )
            scores = (q @ k.T / math.sqrt(d_k)).masked_fill(~full[b, h], -math.inf)
            weights = scores.softmax(-1)
            assert_close(ours.weights[b, h], weights.detach())
            answers[b, :, rows] = (weights @ v).detach()
    assert_close(output, ours.out_proj(answers))


@relaxed
@given(data=st.data())
def test_splitting_takes_columns_and_merging_puts_them_back(data):
    batch, n_heads, t, d_k = (data.draw(st.integers(1, 5)) for _ in range(4))
    ours = a2.MultiHeadAttention(n_heads * d_k, n_heads)
    x = torch.arange(batch * t * n_heads * d_k).reshape(batch, t, n_heads * d_k)
    heads = ours.split_heads(x)
    assert heads.shape == (batch, n_heads, t, d_k)
    for h in range(n_heads):
        assert torch.equal(heads[:, h], x[..., h * d_k : (h + 1) * d_k])
    assert torch.equal(ours.merge_heads(heads), x)
    assert torch.equal(ours.merge_heads(heads.contiguous()), x)


@relaxed
@given(problem=problems("cross", "none"), data=st.data())
def test_the_order_of_the_keys_does_not_matter(problem, data):
    ours, query, key, value, _ = problem
    order = data.draw(st.permutations(range(key.shape[1])))
    before, weights = ours(query, key, value), ours.weights
    assert_close(ours(query, key[:, order], value[:, order]), before)
    assert_close(ours.weights, weights[..., order])


@relaxed
@given(problem=problems("cross", "any"))
def test_a_fully_blocked_query_gets_the_bias_alone_and_adds_no_gradient(problem):
    ours, query, key, value, mask = problem
    mask = mask.expand(query.shape[0], ours.n_heads, query.shape[1], key.shape[1]).clone()
    mask[:, :, 0] = False
    (query, key, value), leaves = leaves_of(query, key, value)
    parameters = [ours.get_parameter(name) for name in NAMES]
    output = ours(query, key, value, mask)
    assert (ours.weights[:, :, 0] == 0).all()
    assert torch.equal(output[:, 0], ours.out_proj.bias.expand_as(output[:, 0]))
    assert all(each.isfinite().all() for each in gradients(output, [*leaves, *parameters]))
    *zeros, last = torch.autograd.grad(ours(query, key, value, mask)[:, 0].sum(), parameters)
    assert all((each == 0).all() for each in zeros)
    assert_close(last, torch.full_like(last, query.shape[0]))


@relaxed
@given(d_model=st.integers(1, 40), n_heads=st.integers(1, 40))
def test_sizes_that_do_not_share_out_are_named(d_model, n_heads):
    if d_model % n_heads == 0:
        assert a2.MultiHeadAttention(d_model, n_heads).weights is None
        return
    with pytest.raises(ValueError, match=re.compile(rf"\b{d_model}\b.*\b{n_heads}\b")):
        a2.MultiHeadAttention(d_model, n_heads)


@relaxed
@given(problem=problems("cross", "any"))
def test_keeps_the_dtype_reads_any_layout_and_leaves_its_inputs_alone(problem):
    ours, *inputs, mask = problem
    copies = [x.clone() for x in (*inputs, mask)]
    right = ours(*inputs, mask)
    strided = [x.transpose(0, 2).contiguous().transpose(0, 2) for x in inputs]
    assert_close(ours(*strided, mask), right)
    assert all(torch.equal(x, y) for x, y in zip((*inputs, mask), copies, strict=True))
    single = ours.float()(*(x.float() for x in inputs), mask)
    assert single.dtype == ours.weights.dtype == torch.float32
    assert_close(single.double(), right, tolerance=1e-3)


def test_has_the_parameters_of_the_contract_and_no_others():
    ours = a2.MultiHeadAttention(12, 3)
    assert list(ours.state_dict()) == NAMES
    assert {name for name, _ in ours.named_parameters()} == set(NAMES)
    assert all(isinstance(getattr(ours, part), nn.Linear) for part in PARTS)


def test_stays_on_the_device_of_its_inputs():
    ours = a2.MultiHeadAttention(12, 3).to("meta")
    query, memory = torch.empty(2, 5, 12, device="meta"), torch.empty(2, 7, 12, device="meta")
    output = ours(query, memory, memory, torch.empty(5, 7, dtype=torch.bool, device="meta"))
    assert output.device.type == ours.weights.device.type == "meta"
    assert ours.weights.shape == (2, 3, 5, 7)
