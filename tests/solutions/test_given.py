"""What later assignments are given of earlier ones, against torch, loops and the solutions."""

import copy
import inspect
import itertools
import math
import re
import subprocess
import sys
import types

import pytest
import torch
import torch.nn.functional as F
from reference import ROOT, load_reference, load_shared
from torch import nn

from autograder.course import source_path
from autograder.notebooks.given import given_source
from autograder.notebooks.source import read_source

given = load_shared("given")
A6 = read_source(source_path(ROOT, "a6_translation"))

TOLERANCE = 1e-10
BATCH, N_HEADS, T_Q, T_K, D_MODEL, D_FF = 2, 3, 5, 7, 12, 20
PROJECTIONS = ["q_proj", "k_proj", "v_proj", "out_proj"]
ASSIGNMENTS = {
    "a2": ["scaled_dot_product_attention"],
    "a4": ["MultiHeadAttention", "causal_mask", "padding_mask"],
    "a5": [
        *("TokenEmbedding", "PositionalEncoding", "EncoderLayer", "DecoderLayer"),
        *("padding_mask", "causal_mask"),
    ],
    "a6": ["Transformer", "greedy_decode"],
}
WRITTEN_IN = {
    "a2": ["MultiHeadAttention", "split_heads", "merge_heads"],
    "a4": ["LayerNorm", "FeedForward", "EncoderLayer", "DecoderLayer"],
    "a5": ["Encoder", "Decoder", "Transformer", "greedy_decode"],
    "a6": ["smoothed_loss", "warmup_rate", "train"],
}


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


def assert_same_module(actual, expected, inputs, *masks, **named):
    """Both modules, which have the same names, give the same outputs and the same gradients."""
    expected.load_state_dict(actual.state_dict())
    names = list(dict(actual.named_parameters()))
    weights = [[each.get_parameter(name) for name in names] for each in (actual, expected)]
    assert_close(
        results(lambda *x: actual(*x, *masks, **named), inputs, weights[0]),
        results(lambda *x: expected(*x, *masks, **named), inputs, weights[1]),
    )


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


def small(**options):
    return given.Transformer(11, 13, D_MODEL, N_HEADS, D_FF, 2, **options)


SOURCE = torch.tensor([[3, 4, 10, 9, 0, 0, 0], [5, 0, 6, 7, 8, 1, 2]])
TARGET = torch.tensor([[0, 1, 12, 0, 3], [1, 2, 3, 4, 11]])  # the first row of it may see nothing


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


def test_a_transformers_masks_equal_plain_loops():
    model = small(pad_id=1)
    assert model.source_mask(SOURCE).tolist() == [[[[t != 1 for t in r]]] for r in SOURCE.tolist()]
    seen = [
        [[[row[j] != 1 and j <= i for j in range(len(row))] for i in range(len(row))]]
        for row in TARGET.tolist()
    ]
    assert model.target_mask(TARGET).tolist() == seen


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_padding_all_over_makes_no_nan(dropout):
    model = filled(small(dropout=dropout))
    logits = model(torch.zeros_like(SOURCE), TARGET)
    logits.square().sum().backward()
    assert logits.isfinite().all()
    assert all(each.grad.isfinite().all() for each in model.parameters())


def test_float32_stays_float32_and_a_copy_is_a_copy():
    model = small().eval()
    twin = copy.deepcopy(model)
    with torch.no_grad():
        expected = model(SOURCE, TARGET)
        assert expected.dtype == torch.float32
        assert_close(twin(SOURCE, TARGET), expected, 0)
        for each in model.parameters():
            each.zero_()
        assert_close(twin(SOURCE, TARGET), expected, 0)
        twin.double()
        assert twin(SOURCE, TARGET).dtype == torch.float64
        assert_close(twin(SOURCE, TARGET).float(), expected, 1e-4)


def linears(*names):
    return [f"{name}.{part}" for name in names for part in ("weight", "bias")]


def attention(name):
    return linears(*(f"{name}.{each}" for each in PROJECTIONS))


ENCODER_LAYER = [
    *attention("self_attn"),
    *linears("feed_forward.linear1", "feed_forward.linear2", "norm1", "norm2"),
]
DECODER_LAYER = [*ENCODER_LAYER, *attention("cross_attn"), *linears("norm3")]


def stack(layer):
    layers = [f"layers.{number}.{name}" for number in range(2) for name in layer]
    return ["token_embedding.embedding.weight", *layers]


STACK = (11, D_MODEL, N_HEADS, D_FF, 2)
TRANSFORMER = [
    *(f"encoder.{name}" for name in stack(ENCODER_LAYER)),
    *(f"decoder.{name}" for name in stack(DECODER_LAYER)),
    *linears("output"),
]


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (given.MultiHeadAttention(D_MODEL, N_HEADS), linears(*PROJECTIONS)),
        (given.TokenEmbedding(11, D_MODEL), ["embedding.weight"]),
        (given.PositionalEncoding(D_MODEL), []),
        (given.LayerNorm(D_MODEL), ["weight", "bias"]),
        (given.FeedForward(D_MODEL, D_FF), linears("linear1", "linear2")),
        (given.EncoderLayer(D_MODEL, N_HEADS, D_FF), ENCODER_LAYER),
        (given.DecoderLayer(D_MODEL, N_HEADS, D_FF), DECODER_LAYER),
        (given.Encoder(*STACK), stack(ENCODER_LAYER)),
        (given.Decoder(*STACK), stack(DECODER_LAYER)),
        (small(), TRANSFORMER),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
def test_the_parameters_have_the_names_of_the_contract(module, names):
    assert sorted(module.state_dict()) == sorted(names)
    assert sorted(dict(module.named_parameters())) == sorted(names)


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("scaled_dot_product_attention", "(q, k, v, mask=None)"),
        ("padding_mask", "(tokens, pad_id=0)"),
        ("causal_mask", "(size, device=None)"),
        ("MultiHeadAttention", "(d_model, n_heads)"),
        ("sinusoidal_encoding", "(max_len, d_model)"),
        ("TokenEmbedding", "(vocab_size, d_model)"),
        ("PositionalEncoding", "(d_model, max_len=5000, dropout=0.1)"),
        ("LayerNorm", "(d_model, eps=1e-05)"),
        ("FeedForward", "(d_model, d_ff, dropout=0.1)"),
        ("EncoderLayer", "(d_model, n_heads, d_ff, dropout=0.1)"),
        ("DecoderLayer", "(d_model, n_heads, d_ff, dropout=0.1)"),
        *(
            (name, "(vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1)")
            for name in ("Encoder", "Decoder")
        ),
        (
            "Transformer",
            "(source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048, "
            "n_layers=6, max_len=512, dropout=0.1, pad_id=0)",
        ),
        ("greedy_decode", "(model, source, start_id, end_id, max_len)"),
    ],
)
def test_the_signatures_are_those_of_the_contract(name, signature):
    assert str(inspect.signature(getattr(given, name))) == signature


@pytest.mark.parametrize(
    ("impossible", "numbers"),
    [
        (lambda: given.MultiHeadAttention(10, 3), (10, 3)),
        (lambda: given.EncoderLayer(10, 3, 20), (10, 3)),
        (lambda: given.DecoderLayer(10, 3, 20), (10, 3)),
        (lambda: given.sinusoidal_encoding(9, 5), (5,)),
        (lambda: given.PositionalEncoding(5), (5,)),
        (lambda: given.PositionalEncoding(6, 4)(torch.zeros(2, 7, 6)), (7, 4)),
        (lambda: small(max_len=6)(SOURCE, TARGET), (7, 6)),
    ],
)
def test_impossible_sizes_are_named(impossible, numbers):
    with pytest.raises(ValueError, match=".*".join(rf"\b{each}\b" for each in numbers)):
        impossible()


def row_by_row(model, source, start_id, end_id, max_len):
    """Each sentence alone, and each word from the logits of all the words before it."""
    written = []
    for row in source:
        words = [start_id]
        while len(words) < max_len and (len(words) == 1 or words[-1] != end_id):
            logits = model(row[None], torch.tensor([words]))
            words.append(logits[0, -1].argmax().item())
        written.append(words)
    width = max(map(len, written))
    return [words + [model.pad_id] * (width - len(words)) for words in written]


SENTENCES = torch.cat([SOURCE, SOURCE.flip(1).roll(1, 0), (SOURCE + 3) % 11])


def writer(seed=1, **options):
    """A model that writes different words to different sentences."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return small(**options).double().eval()


@pytest.mark.parametrize("pad_id", [0, 6])
@pytest.mark.parametrize("end_id", range(13))
def test_greedy_decode_equals_one_row_at_a_time(end_id, pad_id):
    model = writer(pad_id=pad_id)
    for max_len in (1, 2, 9):
        written = given.greedy_decode(model, SENTENCES, 1, end_id, max_len)
        assert written.dtype == torch.int64
        assert written.tolist() == row_by_row(model, SENTENCES, 1, end_id, max_len)


@pytest.mark.parametrize("pad_id", [0, 6])
def test_the_rows_of_the_last_test_end_at_different_steps(pad_id):
    model = writer(pad_id=pad_id)
    rows = [row_by_row(model, SENTENCES, 1, end_id, 9) for end_id in range(13)]
    widths = [{len(row) - row.count(pad_id) for row in each} for each in rows]
    assert any(len(each) > 2 for each in widths)
    assert any(len(each[0]) < 9 for each in rows)


@pytest.mark.parametrize("training", [True, False])
def test_greedy_decode_leaves_the_model_as_it_was(training):
    model = writer(dropout=0.5).train(training)
    model.decoder.layers[0].train(not training)
    before = {name: each.training for name, each in model.named_modules()}
    written = given.greedy_decode(model, SOURCE, 1, 2, 6)
    assert {name: each.training for name, each in model.named_modules()} == before
    assert written.tolist() == row_by_row(model.eval(), SOURCE, 1, 2, 6)


def test_greedy_decode_restores_the_mode_after_an_error():
    model = small(max_len=7)
    with pytest.raises(ValueError, match="max_len=7"):
        given.greedy_decode(model, SOURCE, 1, -1, 12)
    assert model.training
    assert model.encoder.layers[0].training


# --- what is handed out


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_cut_runs_alone_and_holds_nothing_to_be_written(assignment):
    names = ASSIGNMENTS[assignment]
    source = given_source(A6, names)
    module = types.ModuleType("given")
    exec(compile(source, "<given>", "exec"), module.__dict__)
    assert all(getattr(module, name) for name in names)
    later = itertools.dropwhile(lambda each: each != assignment, WRITTEN_IN)
    for name in itertools.chain.from_iterable(WRITTEN_IN[each] for each in later):
        assert not re.search(rf"(?<!nn\.)\b{name}\b", source), name
    if "Transformer" in names:
        model = module.Transformer(11, 13, D_MODEL, N_HEADS, D_FF, 1)
        assert module.greedy_decode(model, SOURCE, 1, 2, 4).shape[0] == 2


SOURCES = sorted(each.stem for each in (ROOT / "solutions").glob("*/a[1-6]_*.py"))


@pytest.mark.parametrize("assignment", SOURCES)
def test_no_line_of_a_solution_stands_in_what_is_given(assignment):
    handed_out = inspect.getsource(given).replace("self.pad_id = pad_id", "")  # how else?
    solution = re.compile("### BEGIN SOLUTION(.*?)### END SOLUTION", re.DOTALL)
    for cell in read_source(source_path(ROOT, assignment)).cells:
        lines = "".join(solution.findall(cell.source)).splitlines()
        telling = {each.strip() for each in lines if len(each.strip()) >= 14}
        assert not {each for each in telling if each in handed_out}


REFUSED = """
import torch
from pathlib import Path
from autograder.notebooks import given_source, read_source
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import How, Session

torch.set_num_threads(1)
session = Session([
    "torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward", "torch.nn.TransformerEncoderLayer",
])
names = "Transformer, greedy_decode, scaled_dot_product_attention"
source = read_source(Path("solutions/a6_translation/a6_translation.py"))
session.module("given", given_source(source, names.split(", ")))
session.cell("given", "from given import " + names)
session.cell("own", "def own(q):\\n    return torch.nn.functional.multi_head_attention_forward(q)")
session.cell("torch", "import torch")
weights = {name: each.detach() for name, each in session.names["Transformer"](
    11, 13, 12, 3, 20, 2).state_dict().items()}
model = Blueprint("Transformer", (11, 13, 12, 3, 20, 2), {}, weights)
q, tokens = torch.randn(2, 5, 4), torch.randint(11, (2, 5))
for how in (How(), How(elsewhere=True), How(count=True)):
    for question in (
        ("scaled_dot_product_attention", [q, q, q]),
        (model, [tokens, tokens]),
        ("greedy_decode", [model, tokens, 1, 2, 6]),
    ):
        answer = session.call(*question, {}, how)
        assert answer.failure is None and not answer.banned, (how, answer.failure)
        assert all(answer.elsewhere)
assert session.call("own", [q], {}).banned
"""


def test_what_is_given_runs_where_torchs_attention_is_refused():
    run = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr


# --- the solutions, strictly by the names of their parameters


def test_a1_is_what_is_given():
    a1 = load_reference("a1_attention")
    inputs = [normal(BATCH, N_HEADS, t, 4, seed=t) for t in (T_Q, T_K, T_K)]
    mask = some_mask(BATCH, N_HEADS, T_Q, T_K)
    mask[1, 0] = False
    for each in (None, mask):
        ours, theirs = given.scaled_dot_product_attention, a1.scaled_dot_product_attention
        assert_close(
            results(lambda *x, f=ours, m=each: f(*x, m), inputs),
            results(lambda *x, f=theirs, m=each: f(*x, m), inputs),
        )
        assert_close(ours(*inputs, each), theirs(*inputs, each))
    assert given.padding_mask(SOURCE, 5).equal(a1.padding_mask(SOURCE, 5))
    assert given.causal_mask(6).equal(a1.causal_mask(6))


def test_a2_is_what_is_given():
    a2 = load_reference("a2_multi_head")
    mask = some_mask(BATCH, N_HEADS, T_Q, T_K)
    mask[0, 1, 2], mask[1, :, 3] = False, False
    inputs = [normal(BATCH, t, D_MODEL, seed=t) for t in (T_Q, T_K, T_K)]
    ours = filled(given.MultiHeadAttention(D_MODEL, N_HEADS))
    theirs = a2.MultiHeadAttention(D_MODEL, N_HEADS).double()
    for each in (None, mask):
        assert_same_module(ours, theirs, inputs, each)
        assert_close(ours.weights, theirs.weights)


@pytest.mark.parametrize("dropout", [0.1, 1.0])
def test_a3_is_what_is_given(dropout):
    a3 = load_reference("a3_positional_encoding")
    table = given.sinusoidal_encoding(50, D_MODEL)
    assert_close(table, a3.sinusoidal_encoding(50, D_MODEL), 1e-7)
    ours = filled(given.TokenEmbedding(11, D_MODEL))
    assert_same_module(ours, a3.TokenEmbedding(11, D_MODEL).double(), [], SOURCE)
    ours, theirs = (each.PositionalEncoding(D_MODEL, 9, dropout) for each in (given, a3))
    for each in (ours, theirs):
        each.train(dropout == 1)
    x = normal(BATCH, T_Q, D_MODEL)
    assert_close(ours(x.float()), theirs(x.float()), 1e-6)
    assert_close(results(ours.double(), [x]), results(theirs.double(), [x]), 1e-7)


@pytest.mark.parametrize("dropout", [0.1, 1.0])
def test_a4_is_what_is_given(dropout):
    a4 = load_reference("a4_layers")
    x, memory = normal(BATCH, T_Q, D_MODEL), normal(BATCH, T_K, D_MODEL, seed=1)
    own, other = some_mask(BATCH, 1, T_Q, T_Q), some_mask(BATCH, 1, 1, T_K)
    own[0, :, 2], other[1] = False, False
    sizes = D_MODEL, N_HEADS, D_FF
    for name, args, inputs, masks in [
        ("LayerNorm", (D_MODEL, 0.1), [x], ()),
        ("FeedForward", (D_MODEL, D_FF, dropout), [x], ()),
        ("EncoderLayer", (*sizes, dropout), [x], (own,)),
        ("DecoderLayer", (*sizes, dropout), [x, memory], (own, other)),
    ]:
        ours = filled(getattr(given, name)(*args)).train(dropout == 1)
        theirs = getattr(a4, name)(*args).double().train(dropout == 1)
        assert_same_module(ours, theirs, inputs, *masks)


@pytest.mark.parametrize("dropout", [0.1, 1.0])
def test_a5_is_what_is_given(dropout):
    a5 = load_reference("a5_transformer")
    ours = filled(small(dropout=dropout)).train(dropout == 1)
    theirs = a5.Transformer(11, 13, D_MODEL, N_HEADS, D_FF, 2, dropout=dropout).double()
    theirs.train(dropout == 1)
    assert_same_module(ours, theirs, [], source=SOURCE, target=TARGET)
    model = writer()
    for end_id in range(13):
        words = given.greedy_decode(model, SENTENCES, 1, end_id, 9)
        assert words.equal(a5.greedy_decode(model, SENTENCES, 1, end_id, 9))
