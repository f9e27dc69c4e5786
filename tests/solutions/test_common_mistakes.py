"""Mistakes as people make them, several at once and in their own words: each is named."""

from functools import cache

import pytest

from autograder.grading import grade
from autograder.proof.proving import Maker

ATTENTION = """
import math
import torch

def scaled_dot_product_attention(q, k, v, mask=None):
    {first}
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if {asked}:
        scores = scores.masked_fill({fill})
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights
"""
HEADS = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        assert d_model % n_heads == 0, "d_model must be a multiple of n_heads"
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        for name in ("q_proj", "k_proj", "v_proj"):
            setattr(self, name, nn.Linear({sizes}))
        self.out_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        return x.{split}

    def merge_heads(self, x):
        return x.{merge}.view(x.shape[0], -1, self.d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.{order}for one, x in
                   ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value)))
        answers, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(answers))
"""
TABLE = """
import math
import torch

def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model is {{d_model}}")
    table = torch.zeros(max_len, d_model)
    for pos in range(max_len):
        for i in range(d_model):
            table[pos, i] = (math.cos if i % 2 else math.sin)(pos / 10000 ** ({exponent}))
    return table
"""
PLACES = """
import torch
from torch import nn

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("{name}", sinusoidal_encoding(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.{name}[:, : x.size(1)])
"""
MASK = """
import torch

def causal_mask(size, device=None):
    return torch.triu(torch.ones(1, size, size), diagonal=1) == 0
"""


def attention(first="", asked="mask is not None", fill="mask == 0, -1e9"):
    return ATTENTION.format(first=first, asked=asked, fill=fill)


def heads(
    sizes="d_model, d_model",
    split="view(x.shape[0], -1, self.n_heads, self.d_k).transpose(1, 2)",
    merge="transpose(1, 2).contiguous()",
    order="split_heads(one(x)) ",
):
    return HEADS.format(sizes=sizes, split=split, merge=merge, order=order)


@pytest.fixture(scope="module")
def maker_of(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("submitted")
    return cache(lambda assignment_id: Maker(course, assignment_id, folder))


@pytest.mark.parametrize(
    ("assignment_id", "cell", "text", "told"),
    [
        pytest.param(
            *("a1_attention", "attention", attention(fill="mask, -torch.inf")),
            # Of where the NaN comes from, the numbers know two ways.
            {
                "attention.InvertsTheMask",
                "attention.BlockedRowsBecomeNaN",
                "attention.DividesAfterBlockingByNothing",
            },
            id="mask, -inf",
        ),
        pytest.param(
            *("a1_attention", "attention", attention(fill="mask, -1e-9")),
            {"attention.InvertsTheMask", "attention.FillsWithMinusABillionth"},
            id="-1e-9",
        ),
        pytest.param(
            *("a1_attention", "attention", attention("batch, heads, t, d = q.size()")),
            {"attention.FourAxesAlone", "attention.BlockedRowsBecomeUniform"},
            id="four names",
        ),
        pytest.param(
            *("a1_attention", "attention", attention(asked="mask")),
            {"attention.AsksWhetherTheMaskIsTrue"},
            id="if mask",
        ),
        pytest.param(
            *("a1_attention", "causal_mask", MASK),
            {"causal_mask.WithABatchAxis", "causal_mask.DeviceIgnored"},
            id="causal mask",
        ),
        pytest.param(
            *("a2_multi_head", "multi_head", heads(merge="transpose(1, 2)")),
            {"heads.SizesAsserted", "heads.MergeByView"},
            id="contiguous forgotten",
        ),
        pytest.param(
            *("a2_multi_head", "multi_head"),
            heads(split="view(x.shape[0], self.n_heads, x.shape[1], self.d_k)"),
            {"heads.SizesAsserted", "heads.SplitByReshapeAlone", "heads.SplitByView"},
            id="split by view",
        ),
        pytest.param(
            *("a2_multi_head", "multi_head"),
            heads("self.d_k, self.d_k, bias=False", order="_project(one, x) ").replace(
                "    def split_heads",
                "    def _project(self, one, x):\n        return one(self.split_heads(x))\n\n"
                "    def split_heads",
            ),
            {"heads.SizesAsserted", "heads.ProjectionsOfOneHeadWithoutBias"},
            id="projections of one head",
        ),
        pytest.param(
            *("a3_positional_encoding", "sinusoidal_encoding"),
            TABLE.format(exponent="2 * i / d_model"),
            {"sinusoidal_encoding.ColumnsDoubled"},
            id="2i over all columns",
        ),
        pytest.param(
            *("a3_positional_encoding", "positional_encoding", PLACES.format(name="pe")),
            {"positional_encoding.BufferOfTheTutorials", "positional_encoding.TooLongUnnoticed"},
            id="pe",
        ),
        pytest.param(
            *("a3_positional_encoding", "positional_encoding", PLACES.format(name="encoding")),
            {
                "positional_encoding.BatchAxisInTheBuffer",
                "positional_encoding.Persistent",
                "positional_encoding.TooLongUnnoticed",
            },
            id="encoding",
        ),
    ],
)
def test_it_is_named(maker_of, exam_of, server, assignment_id, cell, text, told):
    path = maker_of(assignment_id).hand_in("somebody", cell, text)
    result = grade("somebody", path, exam_of(assignment_id), server)
    assert {fault for each in result.items for fault in each.faults} == told


NEVER_SEEN = {
    ("a7_faster_decoding", "single_query_unmasked"): {
        "attend.MaskOfSeveralQueriesAlone",
        "start_cache.StartsInFloat32",
        "greedy_decode_cached.StartIsAnEnd",
    },
    ("a7_faster_decoding", "places_without_pads"): {
        "attend.BlockedByLittle",
        "decoder_step.PadsHaveNoPlace",
    },
    ("a7_faster_decoding", "lambdas_ask_the_last_layer"): {
        "start_cache.LastLayerForAll",
        "decoder_step.LongestRefused",
    },
    ("a7_faster_decoding", "batch_that_shrinks"): {
        "greedy_decode_cached.WrittenIntoOtherRows",
        "greedy_decode_cached.PadsCutOff",
    },
    ("a8_modern_parts", "heads_share_a_mask"): {
        "grouped_query_attention.MaskOfTheFirstInTheGroup",
    },
}


@pytest.mark.parametrize(("assignment", "name"), NEVER_SEEN)
def test_samples_that_the_bank_had_never_seen_are_named_truly(graded, assignment, name):
    result = graded(assignment, name)
    named = {fault for each in result.mistakes for fault in each.faults}
    assert named == NEVER_SEEN[assignment, name]
    told = {item for each in result.mistakes for item in each.items}
    assert all(each.item in told for each in result.items if each.verdict in ("wrong", "error"))
