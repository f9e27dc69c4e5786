"""What later assignments are given of earlier ones computes what torch and plain loops do."""

import math
import re

import pytest
import torch
import torch.nn.functional as F
from given_parts import (
    BATCH,
    D_FF,
    D_MODEL,
    N_HEADS,
    SOURCE,
    T_K,
    T_Q,
    TARGET,
    assert_close,
    filled,
    given,
    normal,
    results,
    small,
    some_mask,
)
from torch import nn

# --- attention and masks


@pytest.mark.parametrize("leading", [(), (BATCH,), (BATCH, N_HEADS), (4, 1, 2)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_torchs(leading, masked):
    q, k, v = normal(*leading, T_Q, 4), normal(*leading, T_K, 4, seed=1), normal(*leading, T_K, 6)
    mask = some_mask(*leading, T_Q, T_K) if masked else None
    attend = given.scaled_dot_product_attention
    assert_close(
        results(lambda *x: attend(*x, mask), (q, k, v)),
        results(lambda *x: F.scaled_dot_product_attention(*x, attn_mask=mask), (q, k, v)),
    )
    keys = torch.eye(T_K, dtype=q.dtype).expand(*leading, T_K, T_K)  # what comes back are weights
    expected = F.scaled_dot_product_attention(q, k, keys, attn_mask=mask)
    assert_close(attend(q, k, v, mask)[1], expected)


@pytest.mark.parametrize("shape", [(T_Q, T_K), (T_K,), (BATCH, 1, 1, T_K), (N_HEADS, 1, T_K), ()])
def test_attention_lets_its_mask_broadcast(shape):
    q, k, v = (normal(BATCH, N_HEADS, t, 4, seed=t) for t in (T_Q, T_K, T_K))
    mask = some_mask(*shape) if shape else torch.tensor(True)
    expected = F.scaled_dot_product_attention(q, k, v, mask.expand(BATCH, N_HEADS, T_Q, T_K))
    output, weights = given.scaled_dot_product_attention(q, k, v, mask)
    assert_close(output, expected)
    assert (weights[~mask.expand(weights.shape)] == 0).all()


def test_attention_gives_zeros_to_queries_that_may_attend_to_nothing():
    q, k, v = (normal(BATCH, N_HEADS, t, 4, seed=t).requires_grad_() for t in (T_Q, T_K, T_K))
    mask = some_mask(BATCH, N_HEADS, T_Q, T_K)
    mask[1, 0], mask[0, 2, 3] = False, False
    silent = ~mask.any(-1)
    output, weights = given.scaled_dot_product_attention(q, k, v, mask)
    assert (output[silent] == 0).all()
    assert (weights[silent] == 0).all()
    expected = F.scaled_dot_product_attention(q, k, v, mask)
    assert_close(output[~silent], expected[~silent])
    (output.square().sum() + weights.square().sum()).backward()
    assert all(each.grad.isfinite().all() for each in (q, k, v))
    assert (q.grad[silent] == 0).all()
    assert (v.grad[1, 0] == 0).all()


def test_huge_scores_neither_overflow_nor_beat_a_mask():
    q, k, v = (1000 * normal(t, 4, seed=t).float() for t in (T_Q, T_K, T_K))
    mask = some_mask(T_Q, T_K)
    output, weights = given.scaled_dot_product_attention(q, k, v, mask)
    assert output.isfinite().all()
    assert (weights[~mask] == 0).all()
    assert_close(weights.sum(-1), torch.ones(T_Q), 1e-6)


def test_masks_equal_plain_loops():
    tokens = torch.tensor([[3, 0, 5, 0], [0, 0, 0, 0], [1, 2, 7, 7]])
    for pad_id in (0, 7):
        mask = given.padding_mask(tokens, pad_id)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[[[t != pad_id for t in row]]] for row in tokens.tolist()]
    assert given.padding_mask(tokens).equal(given.padding_mask(tokens, pad_id=0))
    for size in (1, 2, 6):
        mask = given.causal_mask(size)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[j <= i for j in range(size)] for i in range(size)]
    assert given.causal_mask(3, device="meta").device.type == "meta"


# --- multi-head attention


def torchs_attention(ours, n_heads):
    """nn.MultiheadAttention with the same weights."""
    theirs = nn.MultiheadAttention(ours.out_proj.in_features, n_heads, batch_first=True).double()
    put_into(theirs, ours)
    return theirs


def put_into(theirs, ours):
    first = ours.q_proj, ours.k_proj, ours.v_proj
    weights = {
        "in_proj_weight": torch.cat([each.weight for each in first]),
        "in_proj_bias": torch.cat([each.bias for each in first]),
        "out_proj.weight": ours.out_proj.weight,
        "out_proj.bias": ours.out_proj.bias,
    }
    theirs.load_state_dict(weights)


def turned_round(mask, t_q, t_k, n_heads=N_HEADS):
    """A mask as nn.MultiheadAttention wants it."""
    return None if mask is None else ~mask.expand(BATCH, n_heads, t_q, t_k).flatten(0, 1)


@pytest.mark.parametrize(
    "mask",
    [
        None,
        some_mask(T_Q, T_K),
        some_mask(BATCH, 1, 1, T_K),
        some_mask(BATCH, 1, T_Q, T_K),
        some_mask(BATCH, N_HEADS, T_Q, T_K),
        some_mask(N_HEADS, 1, T_K),
    ],
)
def test_multi_head_attention_equals_torchs(mask):
    ours = filled(given.MultiHeadAttention(D_MODEL, N_HEADS))
    theirs = torchs_attention(ours, N_HEADS)
    inputs = [normal(BATCH, t, D_MODEL, seed=seed) for seed, t in enumerate((T_Q, T_K, T_K))]
    torchs_mask = turned_round(mask, T_Q, T_K)
    options = {"attn_mask": torchs_mask, "average_attn_weights": False}
    mine = results(lambda *x: ours(*x, mask), inputs, ours.parameters())
    other = results(lambda *x: theirs(*x, **options), inputs, theirs.parameters())
    assert_close(mine[:4], other[:4])
    # Torch keeps the first three projections in one.
    weights, biases = mine[4:10:2], mine[5:10:2]
    assert_close((torch.cat(weights), torch.cat(biases), *mine[10:]), other[4:])
    assert_close(ours.weights, theirs(*inputs, **options)[1].detach())
    assert not ours.weights.requires_grad


def test_a_head_that_may_attend_to_nothing_brings_back_zeros():
    ours = filled(given.MultiHeadAttention(D_MODEL, N_HEADS))
    x = normal(BATCH, T_Q, D_MODEL).requires_grad_()
    mask = some_mask(BATCH, N_HEADS, T_Q, T_Q)
    mask[0, :, 2] = False  # no head has a key left
    mask[1, 1, 4] = False  # one has not
    output = ours(x, x, x, mask)
    assert_close(output[0, 2], ours.out_proj.bias)
    assert (ours.weights[0, :, 2] == 0).all()
    assert (ours.weights[1, 1, 4] == 0).all()
    columns = D_MODEL // N_HEADS
    heads = [
        F.scaled_dot_product_attention(
            *(each(x)[..., h * columns : (h + 1) * columns] for each in first_projections(ours)),
            attn_mask=mask[:, h],
        ).masked_fill(~mask[:, h].any(-1, keepdim=True), 0.0)
        for h in range(N_HEADS)
    ]
    assert_close(output, ours.out_proj(torch.cat(heads, dim=-1)))
    output.square().sum().backward()
    assert all(each.grad.isfinite().all() for each in (x, *ours.parameters()))


def first_projections(attention):
    return attention.q_proj, attention.k_proj, attention.v_proj


# --- positions and tokens


@pytest.mark.parametrize(("max_len", "d_model"), [(1, 2), (7, 2), (50, 6), (5000, 16)])
def test_the_encoding_equals_its_formula(max_len, d_model):
    table = given.sinusoidal_encoding(max_len, d_model)
    assert table.dtype == torch.float32
    assert table.is_contiguous()
    angles = ((p, 10000 ** (2 * i / d_model)) for p in range(max_len) for i in range(d_model // 2))
    pairs = [(math.sin(p / slow), math.cos(p / slow)) for p, slow in angles]
    expected = torch.tensor(pairs, dtype=torch.float64).reshape(max_len, d_model)
    assert_close(table.double(), expected, 6.1e-8)  # half a step of float32 just below 1


def test_tokens_become_scaled_vectors():
    ours = filled(given.TokenEmbedding(11, D_MODEL))
    tokens = torch.tensor([[3, 10, 0], [3, 3, 7]])
    rows = [[ours.embedding.weight[t] * math.sqrt(D_MODEL) for t in r] for r in tokens.tolist()]
    assert_close(ours(tokens), torch.stack([torch.stack(row) for row in rows]))


def test_positions_are_added_and_then_dropped():
    ours = given.PositionalEncoding(D_MODEL, max_len=9, dropout=0.25).double().eval()
    assert dict(ours.named_buffers()).keys() == {"encoding"}
    x = normal(BATCH, T_Q, D_MODEL)
    table = given.sinusoidal_encoding(9, D_MODEL).double()
    assert_close(ours(x), x + table[:T_Q], 0)
    dropped = ours.train()(x)
    expected = (x + table[:T_Q]) / 0.75
    assert_close(dropped, torch.where(dropped == 0, 0.0, expected))
    assert (dropped == 0).any()
    assert ours(normal(BATCH, 9, D_MODEL)).shape == (BATCH, 9, D_MODEL)


# --- layers


def test_layer_norm_equals_torchs():
    ours = filled(given.LayerNorm(D_MODEL, eps=0.1))
    x = normal(BATCH, T_Q, D_MODEL)
    assert_close(ours(x), F.layer_norm(x, (D_MODEL,), ours.weight, ours.bias, 0.1))
    assert given.LayerNorm(D_MODEL).eps == 1e-5


def test_feed_forward_drops_after_its_relu():
    ours = given.FeedForward(D_MODEL, D_MODEL, dropout=0.25).double()
    ours.load_state_dict(
        {
            **{f"linear{i}.weight": torch.eye(D_MODEL) for i in (1, 2)},
            **{f"linear{i}.bias": torch.full((D_MODEL,), float(i)) for i in (1, 2)},
        }
    )
    x = normal(BATCH, T_Q, D_MODEL)
    hidden = (x + 1).clamp(min=0)
    assert_close(ours.eval()(x), hidden + 2)
    dropped = ours.train()(x) - 2
    assert_close(dropped, torch.where(dropped.abs() < 1e-9, 0.0, hidden / 0.75))
    assert ((dropped.abs() < 1e-9) & (hidden > 0)).any()


def torchs_layer(ours, kind, dropout):
    """Torch's encoder or decoder layer with the same weights, and no dropout in its attention."""
    theirs = kind(D_MODEL, N_HEADS, D_FF, dropout, batch_first=True).double()
    theirs.linear1.load_state_dict(ours.feed_forward.linear1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.linear2.state_dict())
    for name, norm in ours.named_children():
        if name.startswith("norm"):
            getattr(theirs, name).load_state_dict(norm.state_dict())
    pairs = {"self_attn": "self_attn", "cross_attn": "multihead_attn"}
    for mine, other in pairs.items():
        if hasattr(ours, mine):
            put_into(getattr(theirs, other), getattr(ours, mine))
            getattr(theirs, other).dropout = 0.0
    return theirs


@pytest.fixture
def known_dropout(monkeypatch):
    """Dropout that multiplies by numbers which only the shape and p decide."""

    def drop(x, p=0.5, training=True, inplace=False):
        factors = torch.arange(x.numel(), dtype=x.dtype).cos().reshape(x.shape)
        return x * (1 + p * factors) if training else x

    monkeypatch.setattr(F, "dropout", drop)


NORMS_AND_LAYERS = re.compile(r"norm\d|linear\d")


def comparable(module, gradients):
    """The gradients of what has the same shape on both sides, by a name that both have."""
    names = [name for name, _ in module.named_parameters()]
    found = zip(names, gradients, strict=True)
    return {
        name.removeprefix("feed_forward."): gradient
        for name, gradient in found
        if NORMS_AND_LAYERS.search(name) or "self_attn.out_proj" in name
    }


@pytest.mark.usefixtures("known_dropout")
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("mask", [None, some_mask(T_Q, T_Q), some_mask(BATCH, 1, 1, T_Q)])
def test_an_encoder_layer_equals_torchs(mask, training):
    ours = filled(given.EncoderLayer(D_MODEL, N_HEADS, D_FF, 0.3)).train(training)
    theirs = torchs_layer(ours, nn.TransformerEncoderLayer, 0.3).train(training)
    x, torchs_mask = normal(BATCH, T_Q, D_MODEL), turned_round(mask, T_Q, T_Q)
    mine = results(lambda x: ours(x, mask), [x], ours.parameters())
    other = results(lambda x: theirs(x, torchs_mask), [x], theirs.parameters())
    assert_close(mine[:2], other[:2])
    assert_close(comparable(ours, mine[2:]), comparable(theirs, other[2:]))
    with torch.no_grad():  # where torch's layer takes a shortcut
        assert_close(ours(x, mask), mine[0])


@pytest.mark.usefixtures("known_dropout")
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("target_mask", [None, given.causal_mask(T_Q)])
@pytest.mark.parametrize("memory_mask", [None, some_mask(BATCH, 1, 1, T_K)])
def test_a_decoder_layer_equals_torchs(target_mask, memory_mask, training):
    ours = filled(given.DecoderLayer(D_MODEL, N_HEADS, D_FF, 0.3)).train(training)
    theirs = torchs_layer(ours, nn.TransformerDecoderLayer, 0.3).train(training)
    inputs = [normal(BATCH, T_Q, D_MODEL), normal(BATCH, T_K, D_MODEL, seed=1)]
    masks = turned_round(target_mask, T_Q, T_Q), turned_round(memory_mask, T_Q, T_K)
    mine = results(lambda *x: ours(*x, target_mask, memory_mask), inputs, ours.parameters())
    other = results(lambda *x: theirs(*x, *masks), inputs, theirs.parameters())
    assert_close(mine[:3], other[:3])
    assert_close(comparable(ours, mine[3:]), comparable(theirs, other[3:]))


# --- the whole


def test_a_transformer_equals_torchs_stacks():
    model = filled(small()).eval()
    memory = model.encoder.token_embedding(SOURCE) + given.sinusoidal_encoding(7, D_MODEL)
    for layer in model.encoder.layers:
        theirs = torchs_layer(layer, nn.TransformerEncoderLayer, 0.0)
        memory = theirs(memory, src_key_padding_mask=SOURCE == 0)
    assert_close(model.encode(SOURCE), memory)

    target = TARGET.clamp(min=1)  # torch makes NaN of a row that may see nothing
    x = model.decoder.token_embedding(target) + given.sinusoidal_encoding(5, D_MODEL)
    future = torch.ones(5, 5).triu(1).bool()
    for layer in model.decoder.layers:
        theirs = torchs_layer(layer, nn.TransformerDecoderLayer, 0.0)
        x = theirs(x, memory, future, memory_key_padding_mask=SOURCE == 0)
    assert_close(model.decode(target, memory, SOURCE), x)
    assert_close(model(SOURCE, target), model.output(x))
