"""What is handed out has the contract's names, the solutions' numbers and none of their lines."""

import inspect
import itertools
import re
import subprocess
import sys
import types

import pytest
import torch
from given_parts import (
    BATCH,
    D_FF,
    D_MODEL,
    N_HEADS,
    SENTENCES,
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
    writer,
)
from reference import ROOT, load_reference
from torch import nn

from autograder.course import source_path
from autograder.notebooks.given import given_source
from autograder.notebooks.source import read_source

A6 = read_source(source_path(ROOT, "a6_translation"))

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


# --- the contract


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
from autograder.sandbox.how import How
from autograder.sandbox.session import Session

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


def assert_same_module(actual, expected, inputs, *masks, **named):
    """Both modules, which have the same names, give the same outputs and the same gradients."""
    expected.load_state_dict(actual.state_dict())
    names = list(dict(actual.named_parameters()))
    weights = [[each.get_parameter(name) for name in names] for each in (actual, expected)]
    assert_close(
        results(lambda *x: actual(*x, *masks, **named), inputs, weights[0]),
        results(lambda *x: expected(*x, *masks, **named), inputs, weights[1]),
    )


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
