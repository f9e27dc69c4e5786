"""The reference of a8_modern_parts against torch's own, and formulas where torch has none."""

import math
import re

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import load_reference
from torch import nn

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
# The first calls of torch are slow, and no time says anything about the reference.
relaxed = settings(deadline=None, max_examples=20)

a8 = load_reference("a8_modern_parts")
seeds = st.integers(0, 2**32)
few = st.integers(1, 5)


def normal(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def filled(module, seed):
    """The module in float64, with weights that leave a mark everywhere."""
    module.double()
    for place, each in enumerate(module.parameters()):
        each.data = normal(seed + place, *each.shape)
    return module


@relaxed
@given(seed=seeds, leading=st.lists(few, max_size=3), d_model=few, eps=st.floats(1e-8, 1.0))
def test_the_norm_is_torchs(seed, leading, d_model, eps):
    ours = filled(a8.RMSNorm(d_model, eps=eps), seed)
    theirs = nn.RMSNorm(d_model, eps=eps).double()
    theirs.load_state_dict(ours.state_dict())
    x = normal(seed + 9, *leading, d_model)
    torch.testing.assert_close(ours(x), theirs(x), **TOLERANCE)


def test_a_new_norm_and_its_default():
    new = a8.RMSNorm(7)
    assert new.eps == 1e-6
    assert torch.equal(new.weight, torch.ones(7))


@relaxed
@given(seed=seeds, sizes=st.tuples(few, few, few), pairs=few, base=st.floats(2.0, 1e6))
def test_each_pair_is_turned_by_pythons_own_arithmetic(seed, sizes, pairs, base):
    x = normal(seed, *sizes, 2 * pairs)
    positions = torch.randint(
        -50, 1000, (sizes[-1],), generator=torch.Generator().manual_seed(seed)
    )
    turned = a8.rotary(x, positions, base=base)
    for place, m in enumerate(positions.tolist()):
        for i in range(pairs):
            angle = m * math.pow(base, -2 * i / (2 * pairs))
            hand = complex(math.cos(angle), math.sin(angle))
            pair = torch.view_as_complex(x[:, :, place, 2 * i : 2 * i + 2].contiguous()) * hand
            got = turned[:, :, place, 2 * i : 2 * i + 2]
            torch.testing.assert_close(got, torch.view_as_real(pair), **TOLERANCE)


@relaxed
@given(seed=seeds, t=few, pairs=few, moved=st.integers(-100, 1000))
def test_scores_know_differences_of_positions_alone(seed, t, pairs, moved):
    q, k = normal(seed, 1, 1, t, 2 * pairs), normal(seed + 1, 1, 1, t, 2 * pairs)
    here = torch.arange(t)
    before, after = (
        a8.rotary(q, at) @ a8.rotary(k, at).transpose(-2, -1) for at in (here, here + moved)
    )
    torch.testing.assert_close(before, after, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_dtype_stays(dtype):
    assert a8.rotary(torch.ones(1, 2, 3, 4, dtype=dtype), torch.arange(3)).dtype == dtype


@pytest.mark.parametrize("d_k", [1, 13])
def test_an_odd_size_is_named(d_k):
    with pytest.raises(ValueError, match=str(d_k)):
        a8.rotary(torch.ones(1, 1, 2, d_k), torch.arange(2))


@relaxed
@given(seed=seeds, leading=st.lists(few, max_size=3), d_model=few, d_ff=few)
def test_the_network_is_its_formula(seed, leading, d_model, d_ff):
    ours = filled(a8.SwiGLU(d_model, d_ff), seed)
    x = normal(seed + 9, *leading, d_model)
    gate, up, down = (getattr(ours, name).weight for name in ("gate", "up", "down"))
    z = x @ gate.T
    torch.testing.assert_close(
        ours(x), (z / (1 + torch.exp(-z)) * (x @ up.T)) @ down.T, **TOLERANCE
    )
    assert {name for name, _ in ours.named_parameters()} == {
        "gate.weight",
        "up.weight",
        "down.weight",
    }


@relaxed
@given(seed=seeds, batch=few, t=few, d_k=few, n_kv_heads=few, shared=few, masked=st.booleans())
def test_the_attention_is_torchs_with_groups(seed, batch, t, d_k, n_kv_heads, shared, masked):
    n_heads = n_kv_heads * shared
    ours = filled(a8.GroupedQueryAttention(n_heads * d_k, n_heads, n_kv_heads), seed)
    x = normal(seed + 9, batch, t, n_heads * d_k) / 4  # scores of thousands leave no digits
    mask = None
    if masked:
        mask = normal(seed + 10, batch, n_heads, t, t) > 0
        mask[..., 0] = True
    q, k, v = (
        getattr(ours, name)(x).view(batch, t, -1, d_k).transpose(1, 2)
        for name in ("q_proj", "k_proj", "v_proj")
    )
    answers = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    theirs = ours.out_proj(answers.transpose(1, 2).reshape(x.shape))
    torch.testing.assert_close(ours(x, mask), theirs, **TOLERANCE)


def test_a_query_without_a_key_gets_zeros():
    ours = filled(a8.GroupedQueryAttention(8, 4, 2), 1)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    result = ours(normal(2, 1, 3, 8), mask)
    assert torch.equal(result[:, 1], torch.zeros(1, 8, dtype=torch.float64))
    assert result.isfinite().all()


@pytest.mark.parametrize(("sizes", "named"), [((10, 3, 1), (10, 3)), ((12, 6, 4), (6, 4))])
def test_sizes_that_leave_a_remainder_are_named(sizes, named):
    with pytest.raises(ValueError, match="cannot be divided") as error:
        a8.GroupedQueryAttention(*sizes)
    assert set(map(int, re.findall(r"\d+", str(error.value)))) == set(named)
