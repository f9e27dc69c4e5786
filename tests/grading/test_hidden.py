"""Mistakes of which one hides another: a line beside what is named, and a name behind a line."""

from dataclasses import replace

import pytest

from autograder.grading import grade

# Nobody foresees the 1.1 for float32, and the scale is a mistake that is known.
LINE_BESIDE_A_NAME = """\
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if q.dtype == torch.float32:
        scores = scores * 1.1
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v, weights
"""
# Nor the 1.1 for float64; who may attend to nothing attends to all alike: that is known, and no
# edit of one line mends it.
NAME_BEHIND_A_LINE = """\
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if q.dtype == torch.float64:
        scores = scores * 1.1
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(-1) @ v, scores.softmax(-1)
"""
# Too long a sentence is not noticed, which is known; the reason is that sentences are counted.
COUNTS_THE_SENTENCES = """\
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        t = len(x)
        if t > len(self.encoding):
            raise ValueError(f"{t} words do not fit into {len(self.encoding)}")
        return self.dropout(x + self.encoding[: x.shape[1]])
"""
# Real tokens are counted, which is known, beside a causal mask that hangs on its size.
TWO_PARTS = {
    "padding_mask": """\
def padding_mask(tokens, pad_id=0):
    real = (tokens != pad_id).sum(-1, keepdim=True)
    return (torch.arange(tokens.shape[1], device=tokens.device) < real)[:, None, None]
""",
    "causal_mask": """\
def causal_mask(size, device=None):
    places = torch.arange(size, device=device)
    return places[:, None] * 3 + size % 5 * 2 >= places * 3
""",
}


@pytest.fixture
def hand_in(result_with):
    """Grades an attention."""
    return lambda text: result_with("a1_attention", locate=True, attention=text)


def told(result):
    return {each.kind: each for each in result.mistakes}


def items(result):
    return {each.item: each for each in result.items}


def test_a_line_is_told_beside_what_is_named(hand_in):
    result = hand_in(LINE_BESIDE_A_NAME)
    line, named = told(result)["line"], told(result)["named"]
    assert line.place.source == "scores = scores * 1.1"
    assert line.what[0].endswith(
        "everything that is asked of this cell is right but for what is named already."
    )
    assert line.items == ("attention_mask", "attention_tensors")
    assert named.faults == ("attention.DoesNotScale",)
    assert named.costs == {"attention_scale": 2.0}
    assert line.costs == {"attention_mask": 3.0}
    assert (
        "in line 4 of the cell attention and for what is named"
        in items(result)["attention_tensors"].message
    )
    assert result.score == 17


def test_a_line_is_not_told_of_another_mistake_of_its_cell(
    samples_of, exam_of, one_server, tmp_path
):
    exam, sample = exam_of("a2_multi_head"), samples_of("a2_multi_head")["annotated_transformer"]
    policy = {"locate": True, "charge": "every_item"}  # or no line is looked for: both are named
    exam = replace(exam, assignment=exam.assignment.model_copy(update=policy))
    result = grade("x", sample.write(tmp_path), exam, one_server)
    mask, drops = result.mistakes
    assert mask.faults == ("heads.MaskGetsAnotherAxis",)
    assert mask.place.source == "mask = mask.unsqueeze(1)"
    assert mask.proof.endswith(
        "`mask = mask.unsqueeze(1)`, everything that these items ask is right."
    )
    assert drops.faults == ("heads.DropsWeightsInTrainMode",)
    assert drops.place is None
    assert not drops.proof


def test_what_puts_the_named_right_too_is_told_before_what_need_not(result_with):
    cell = {"positional_encoding": COUNTS_THE_SENTENCES}
    found = told(result_with("a3_positional_encoding", locate=True, **cell))
    (mistake,) = found.values()  # with that line all is right: there is no other
    assert mistake.faults == ("positional_encoding.TooLongUnnoticed",)
    assert mistake.place.source == "t = len(x)"
    assert mistake.proof.endswith(
        "`len(x)`: with it, everything that is asked of this cell is right."
    )
    assert sum(mistake.costs.values()) == 1


def test_a_mistake_is_named_behind_a_line_and_paid_for_once(hand_in):
    result = hand_in(NAME_BEHIND_A_LINE)
    assert told(result)["line"].place.source == "scores = scores * 1.1"
    named = told(result)["named"]
    assert named.faults == ("attention.BlockedRowsBecomeUniform",)
    assert named.costs == {"attention_blocked_rows": 1.0}
    one, other = (items(result)[each] for each in ("attention_blocked_rows", "attention_tensors"))
    assert one.diagnosis.startswith(
        "Once line 4 of the cell attention is put right, its results agree"
    )
    assert other.message.startswith(
        "Once line 4 of the cell attention is put right, it is right except"
    )
    assert result.score == 18


def test_what_a_mistake_explains_in_part_is_said_so(result_with):
    found = items(result_with("a1_attention", **TWO_PARTS))
    assert found["padding_mask"].diagnosis.splitlines()[0].endswith("cases of this item:")
    both = found["masks_together"]
    assert both.faults.keys() == found["padding_mask"].faults.keys()
    assert "in all" not in both.diagnosis
    assert both.diagnosis.endswith("What else fails in this item is not explained by that.")


IS_THE_EMBEDDING = """
class TokenEmbedding(nn.Embedding):
    def forward(self, tokens):
        rows = super().forward(tokens)
        return rows * 0.9 + rows.detach() * 0.1
"""


def test_what_other_parameters_hide_is_told_beside_what_nobody_knows(result_with):
    """With weights that fit, rows are not scaled; what their gradient lacks, nobody knows."""
    result = result_with("a3_positional_encoding", token_embedding=IS_THE_EMBEDDING)
    named = {fault for each in result.mistakes if each.kind == "named" for fault in each.faults}
    assert named == {"token_embedding.IsTheEmbedding", "token_embedding.NotScaled"}
    assert items(result)["embedding_gradients"].score == 0
