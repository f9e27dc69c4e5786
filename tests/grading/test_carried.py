"""Follow-through: a mistake in an earlier part costs that part, and not what is built on it."""

import re
from contextlib import contextmanager
from dataclasses import replace

import pytest
from reference import ROOT

from autograder.course import source_path
from autograder.course.manifest import read_course
from autograder.course.result import Verdict
from autograder.grading import grade, limits_of, prepare, remote_student
from autograder.grading import submission as grading
from autograder.grading.carried import looked_at
from autograder.notebooks.given import can_be_given
from autograder.notebooks.source import read_source
from autograder.notebooks.submission import Submission, modules_for
from autograder.proof.samples import answered, as_saved, overlaid
from autograder.sandbox.host import Server
from autograder.sandbox.walls import choose

COURSE = read_course(ROOT)
LAYERS, TRANSFORMER, FASTER = "a4_layers", "a5_transformer", "a7_faster_decoding"
# It forgets to take the mean away, and is otherwise right.
WRONG_NORM = """# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        variance = x.var(-1, keepdim=True, correction=0)
        return x / torch.sqrt(variance + self.eps) * self.weight + self.bias
"""
# What else stands in its cell is used by the layers.
WRONG_NORM_WITH_A_HELPER = f"""{WRONG_NORM}
from torch.nn.functional import relu as positive

def framed(norm, x, said):
    return norm(x + said)
"""
ENCODER_LAYER_WITH_THE_HELPER = """# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = framed(self.norm1, x, self.dropout(self.self_attn(x, x, x, mask)))
        return framed(self.norm2, x, self.dropout(self.feed_forward(x)))
"""
STUB_NORM = """# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x):
        raise NotImplementedError()
"""
STUB_DECODER_LAYER = """# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        raise NotImplementedError()
"""
# It would be right, but for torch's own layer, which it makes and does not use.
TORCHS_ENCODER_LAYER = """# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        torch.nn.TransformerEncoderLayer(x.shape[-1], 1, batch_first=True)
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
"""
IMPORTED_ENCODER_LAYER = """# %% solution="encoder_layer"
from given import EncoderLayer
"""
WRONG_ENCODER = """# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )

    def forward(self, tokens, mask=None):
        x = self.token_embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return x
"""
# Its scores are not scaled.
WRONG_ATTEND = """# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    queries = attention.q_proj(x).unflatten(-1, (attention.n_heads, -1)).transpose(1, 2)
    scores = queries @ keys.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return attention.out_proj((scores.softmax(dim=-1) @ values).transpose(1, 2).flatten(2))
"""
# It stops when all rows end in the same step.
WRONG_END = """# %% solution="greedy_decode_cached"
def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            keys, values, *memory = start_cache(model, source)
            target = torch.full_like(source[:, :1], start_id)
            ended = torch.zeros_like(target, dtype=torch.bool)
            for _ in range(max_len - 1):
                x, keys, values = decoder_step(model, target, source, keys, values, *memory)
                word = model.output(x).argmax(dim=-1).masked_fill(ended, model.pad_id)
                target = torch.cat([target, word], dim=1)
                ended = ended | (word == end_id)
                if (word == end_id).all():
                    break
        return target
    finally:
        model.train(was_training)
"""


@pytest.fixture(scope="module")
def desk(samples_of):
    """Gives an assignment's exam, a server for it, and its notebook with right answers."""
    found, servers = {}, []

    def desk(name):
        if name not in found:
            exam = prepare(COURSE, name, "for the tests alone")
            servers.append(Server(choose(), limits_of(exam.assignment)))
            right = answered(COURSE, name, samples_of(name)["untouched_stub"].data)
            found[name] = exam, servers[-1], right
        return found[name]

    yield desk
    for server in servers:
        server.close()


@pytest.fixture
def items(desk, tmp_path):
    """Grades the right answers of an assignment, but for these cells; the items by their ids."""

    def items(name, *cells, share=1.0):
        exam, server, right = desk(name)
        assignment = exam.assignment.model_copy(update={"carried_share": share})
        exam = replace(exam, assignment=assignment)
        path = tmp_path / f"{name}.ipynb"
        path.write_bytes(as_saved(overlaid(right, "\n\n".join(cells))))
        return {each.item: each for each in grade("somebody", path, exam, server).items}

    return items


def of(items, *beginnings):
    return [each for name, each in items.items() if name.startswith(beginnings)]


def verdicts(items, *beginnings):
    found = of(items, *beginnings)
    assert found
    return {each.verdict for each in found}


def test_a_wrong_norm_costs_the_norm_and_not_the_layers(items):
    found = items(LAYERS, WRONG_NORM)
    assert found["norm_output"].verdict is Verdict.WRONG
    assert found["norm_parameters"].verdict is Verdict.PASSED
    assert verdicts(found, "feed_forward") == {Verdict.PASSED}
    layers = of(found, "encoder_", "decoder_")
    assert {each.verdict for each in layers} <= {Verdict.CARRIED, Verdict.PASSED}
    for name in ("encoder_output", "encoder_mask", "decoder_output", "decoder_masks"):
        item = found[name]
        assert item.verdict is Verdict.CARRIED
        assert item.score == item.points
        assert item.message == "It is right: it passes once LayerNorm is replaced by a right one."


def test_what_else_an_earlier_cell_defines_stays(items):
    found = items(LAYERS, WRONG_NORM_WITH_A_HELPER, ENCODER_LAYER_WITH_THE_HELPER)
    assert found["norm_output"].verdict is Verdict.WRONG
    assert verdicts(found, "encoder_") <= {Verdict.CARRIED, Verdict.PASSED}
    assert all(each.score == each.points for each in of(found, "encoder_"))


def test_an_earlier_cell_that_does_not_end_is_replaced_as_a_whole(items):
    endless = WRONG_NORM + "import os\nos.abort()\n"
    found = items(LAYERS, endless)
    assert verdicts(found, "norm_") != {Verdict.PASSED}
    assert verdicts(found, "encoder_", "decoder_") <= {Verdict.CARRIED, Verdict.PASSED}


def test_a_share_of_a_half_gives_half_the_points(items):
    item = items(LAYERS, WRONG_NORM, share=0.5)["encoder_output"]
    assert item.verdict is Verdict.CARRIED
    assert item.score == item.points / 2
    assert item.message.endswith("The mistake there costs 50% here.")


def test_a_stub_in_an_earlier_cell_costs_that_cell_alone(items):
    found = items(LAYERS, STUB_NORM)
    assert verdicts(found, "norm_") == {Verdict.MISSING}
    assert verdicts(found, "encoder_", "decoder_") == {Verdict.CARRIED}


def test_what_is_itself_a_stub_is_missing(items):
    found = items(LAYERS, WRONG_NORM, STUB_DECODER_LAYER)
    assert verdicts(found, "decoder_") == {Verdict.MISSING}
    assert Verdict.CARRIED in verdicts(found, "encoder_")


def test_what_is_forbidden_stays_forbidden(items):
    found = items(LAYERS, WRONG_NORM, TORCHS_ENCODER_LAYER)
    assert verdicts(found, "encoder_") == {Verdict.FORBIDDEN}
    assert sum(each.score for each in of(found, "encoder_")) == 0


@pytest.mark.parametrize("norm", ["", WRONG_NORM], ids=["right_norm", "wrong_norm"])
def test_what_is_to_be_written_cannot_be_imported(items, norm):
    found = items(LAYERS, norm, IMPORTED_ENCODER_LAYER)
    assert verdicts(found, "encoder_") == {Verdict.ERROR}
    assert all("EncoderLayer" in each.message for each in of(found, "encoder_"))
    assert sum(each.score for each in of(found, "encoder_")) == 0


def test_a_wrong_encoder_costs_the_encoder_and_not_the_transformer(items):
    found = items(TRANSFORMER, WRONG_ENCODER)
    lost = {each.item for each in found.values() if each.score < each.points}
    assert {"encoder_output", "encoder_mask"} <= lost
    assert not [each for each in lost if each.startswith(("decoder_", "transformer_", "greedy_"))]
    assert verdicts(found, "decoder_") == {Verdict.PASSED}  # it has nothing to do with it
    for name in ("transformer_output", "greedy_words"):
        assert found[name].verdict is Verdict.CARRIED
        assert "Encoder" in found[name].message


def test_what_is_wrong_behind_a_wrong_part_is_paid_for(items):
    alone = items(FASTER, WRONG_END)
    assert alone["cached_end"].verdict is Verdict.WRONG
    found = items(FASTER, WRONG_ATTEND, WRONG_END)
    assert found["attend_output"].verdict is Verdict.WRONG
    assert found["cached_words"].verdict is Verdict.CARRIED
    assert found["cached_end"].verdict is Verdict.WRONG
    assert found["cached_end"].score == 0


@pytest.mark.parametrize("name", [each.id for each in COURSE.assignments])
def test_the_last_part_is_right_on_those_that_are_given_instead(name, desk, tmp_path):
    exam, server, _ = desk(name)
    source = exam.source
    *before, last = (cell.name for cell in source.reference if cell.solution)
    cells, names = [], []
    for cell in source.reference:
        theirs = source.defines(cell.name) if cell.solution and cell.name in before else []
        if theirs and can_be_given(source, theirs):
            names += theirs
            cell = replace(cell, source=f"from given import {', '.join(theirs)}")
        cells.append(cell)
    own = looked_at(source, exam.outcomes)
    items = [each for each, cells in own.items() if cells[:1] == [last]]
    with remote_student(Submission(tuple(cells), (), ""), exam, server, names) as student:
        outcomes = exam.run(student, tmp_path, items)
    assert not [each for each in outcomes if each.verdict is not Verdict.PASSED]


# What runs behind the walls may be read there


def solution_lines(cells):
    """What stands between the markers in cells, without what any code would have."""
    solution = re.compile("### BEGIN SOLUTION(.*?)### END SOLUTION", re.DOTALL)
    return {
        line.strip()
        for cell in cells
        for part in solution.findall(cell.source)
        for line in part.splitlines()
        if len(line.strip()) >= 14 and line.strip() != "self.pad_id = pad_id"
    }


def test_no_line_of_the_reference_goes_behind_the_walls(items, desk, monkeypatch):
    sent = []
    honest = grading.remote_student

    @contextmanager
    def remote_student(submission, exam, server, given=(), **options):
        sent.append((submission, modules_for(exam.source, given)))
        with honest(submission, exam, server, given, **options) as student:
            yield student

    monkeypatch.setattr(grading, "remote_student", remote_student)
    items(LAYERS, WRONG_NORM)
    norm = next(
        cell for cell in desk(LAYERS)[0].source.cells if cell.grade_id == "solution_layer_norm"
    )
    given = []
    for submission, modules in sent:
        replaced = [x for x in submission.cells if x.source == "from given import LayerNorm"]
        text = "\n".join(modules.values())
        given.append("class LayerNorm" in text)
        assert bool(replaced) is given[-1]
        assert "class EncoderLayer" not in text
        assert not [line for line in solution_lines([norm]) if line in text]
    assert True in given  # with the norm replaced
    assert not given[0]  # as it was handed in


@pytest.mark.parametrize("name", [each.id for each in COURSE.assignments])
def test_no_part_that_is_given_instead_shows_a_solution(name):
    source = read_source(source_path(ROOT, name))
    order = [cell.name for cell in source.reference if cell.solution]
    for number, cell in enumerate(order):
        names = source.defines(cell)
        if not can_be_given(source, names):
            continue
        text = modules_for(source, names)["given"]
        assert not [line for line in solution_lines(source.cells) if line in text]
        for later in order[number + 1 :]:
            for each in source.defines(later):
                assert not re.search(rf"^(class|def) {each}\b", text, re.MULTILINE), each
