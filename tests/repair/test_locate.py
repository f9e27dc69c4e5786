"""Where a mistake stands: told when a repair proves it, and only then."""

import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from autograder.course import read_course
from autograder.diagnosis import Bank
from autograder.grading import prepare, remote_student
from autograder.notebooks import Submission
from autograder.repair import Purse, locate

RIGHT = """\
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores = scores / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.matmul(weights, v), weights
"""


@pytest.fixture
def find(find_in):
    return find_in("a1_attention")


@pytest.fixture
def find_in(exam_of, server):
    """Gives, for an assignment, what is told of a text in the place of a solution."""

    def find_in(exam):
        return partial(find, exam_of(exam) if isinstance(exam, str) else exam)

    def find(exam, text, cell="attention", purse=None, repairs=None, **others):
        texts = {cell: text, **others}
        cells = tuple(
            replace(each, source=texts.get(each.name, each.source)) if each.solution else each
            for each in exam.source.reference
        )
        submission = Submission(cells, (), "")
        with remote_student(submission, exam, server) as student:
            outcomes = exam.run(student, Path())
            failed = {each.item for each in outcomes if each.verdict != "passed"}
            answers = exam.bank.ask(student, outcomes, failed)

        def student_of(other, given=()):
            return remote_student(other, exam, server, given)

        spent = purse or Purse(time.monotonic() + 300)
        asked = exam.source, exam.bank, answers, failed, student_of, spent
        return locate(submission, *asked, {}, [] if repairs is None else repairs)

    return find_in


def test_right_code_is_told_nothing(find):
    assert find(RIGHT) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scores / math.sqrt(d_k)", "scores * math.sqrt(d_k)"),
        ("dim=-1)", "dim=-2)"),
        ("~mask, 0.0", "mask, 0.0"),
        ("q.size(-1)", "q.size(-2)"),
        ("weights, v), weights", "weights, v), scores"),
    ],
)
def test_the_line_that_was_changed_is_told(find, old, new):
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT
    changed = 1 + text[: text.index(new)].count("\n")
    (found,) = find(text)
    assert (found.cell, found.line) == ("attention", changed)
    assert found.source == text.splitlines()[changed - 1].strip()
    assert found.what in found.source
    assert found.whole
    assert str(found).startswith(f"line {changed} of the cell attention: ")
    assert f"`{found.what}`" in str(found)


def test_something_missing_is_told_as_that(find):
    (found,) = find(RIGHT.replace("weights = weights.masked_fill", "weights.masked_fill"))
    assert found.line == 9
    assert found.missing
    assert str(found).startswith("line 9 of the cell ")
    assert "Something is missing at " in str(found)


def test_two_mistakes_are_told_one_after_the_other(find):
    found = find(RIGHT.replace("/ math", "* math").replace("~mask, 0.0", "mask, 0.0"))
    assert sorted(each.line for each in found) == [4, 9]
    assert not found[0].whole


def test_a_dtype_beside_another_mistake_is_found_before_all_else(find):
    """Everywhere digits are lacking: a few edits of many can bring these."""
    purse = Purse(time.monotonic() + 300)
    before = purse.left
    single = "torch.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)"
    text = RIGHT.replace("torch.softmax(scores, dim=-1)", single).replace(
        "~mask, 0.0", "~mask, 0.5"
    )
    first, *_ = find(text, purse=purse)
    assert single in first.source
    assert len(first.items) > 1
    assert purse.left > before / 3


def test_a_dtype_is_found_beside_a_mistake_that_is_asked_for_less(find_in, exam_of):
    """What is cheapest to ask came first, and what was tried for it left nothing to the rest."""
    exam = exam_of("a2_multi_head")
    (text,) = (each.source for each in exam.source.reference if each.name == "multi_head")
    root = "        self.scale = (d_model // n_heads) ** -0.5\n        if d_model % n_heads != 0:"
    text = text.replace("        if d_model % n_heads != 0:", root).replace(
        "(self.merge_heads(answers))", "(self.merge_heads(answers)).float().to(query.dtype)"
    )
    first, *_ = find_in(exam)(text, "multi_head")
    assert ".float()" in first.source
    assert len(first.items) > 1


@pytest.mark.parametrize(("root", "lines"), [("np.sqrt", [4]), ("sqrt", [4]), ("my.sqrt", [])])
def test_a_name_that_is_imported_nowhere_is_what_keeps_all_from_running(find, root, lines):
    found = find(RIGHT.replace("math.sqrt", root))
    assert [each.line for each in found] == lines
    assert all(each.whole for each in found)


@pytest.mark.slow
def test_a_line_that_a_repair_has_written_is_not_told_as_theirs(find_in, exam_of):
    """The second mistake shows in what the repair of the first would make of its line."""
    exam = exam_of("a1_attention")
    # Where situations meet, that repair breaks what is right.
    plain = [each for each in exam.bank.cases if not each.crowded]
    exam = replace(exam, bank=Bank(exam.bank.components, plain))
    text = """\
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = scores.flatten().softmax(0).view_as(scores)
    return weights @ v, weights
"""
    theirs = [line.strip() for line in text.splitlines()]
    found = find_in(exam)(text)
    assert found
    assert [each.source for each in found] == [theirs[each.line - 1] for each in found]


def test_what_could_be_mended_in_two_lines_alike_is_not_told(find):
    """The root may be taken where d_k is bound, or where it is used."""
    assert find(RIGHT.replace("math.sqrt(d_k)", "d_k")) == []


def test_a_line_that_another_repair_only_goes_round_is_told(find):
    """Where what it makes is used, something else would do: then it is good for nothing."""
    moved = "    moved = q - q.amin()\n    scores = torch.matmul(moved, k"
    (found,) = find(RIGHT.replace("    scores = torch.matmul(q, k", moved))
    assert (found.line, found.what) == (3, "q - q.amin()")


def test_so_is_one_of_which_another_name_is_used(find):
    """That line cannot be left out."""
    bound = RIGHT.replace(
        "    scores = torch.matmul(q, k",
        "    asked, mixed = q, k\n    scores = torch.matmul(asked, k",
    )
    (found,) = find(bound.replace("(weights, v)", "(weights, mixed)"))
    assert (found.line, found.source) == (3, "asked, mixed = q, k")


def test_what_was_proven_elsewhere_is_tried_before_anything_is_looked_for(find):
    wrong, repairs = RIGHT.replace("/ math", "* math"), []
    told = find(wrong, repairs=repairs)
    spent = Purse(time.monotonic() + 300, left=0.0)  # nothing is left to look with
    assert find(wrong, purse=spent, repairs=repairs) == told != []
    assert find(wrong, purse=replace(spent)) == []


def test_that_an_input_is_written_to_is_no_number(find):
    assert find(RIGHT.replace("scores = torch", "q.mul_(1.0).add_(0.0)\n    scores = torch")) == []


def test_an_edit_that_never_ends_is_survived(find):
    loop = "    d_k, n = q.size(-1), 0\n    while n < 1:\n        n += 1\n"
    (found,) = find(RIGHT.replace("    d_k = q.size(-1)\n", loop).replace("/ math", "* math"))
    assert found.what == "scores * math.sqrt(d_k)"


def test_edits_that_end_their_process_are_paid_for(find):
    """Each takes a process, and may take half a second before."""
    until, wrong = time.monotonic() + 300, RIGHT.replace("/ math", "* math * 1.5")
    never = "    d_k = q.size(-1)\n    if d_k < 0 and v.size(-1) < 0:\n        {}\n"
    left = []
    for done in ("os._exit(1)", "os.getppid()"):
        purse = Purse(until)
        text = wrong.replace("    d_k = q.size(-1)\n", never.format(done))
        find(f"import os\n{text}", purse=purse)
        left.append(purse.left)
    assert left[0] < left[1] - 500


def test_repairs_that_do_not_end_in_a_later_case_are_paid_for(find):
    """What mends the first case may wait for half a second in another."""

    class Account(Purse):
        def pay(self, asked, cells=0, forks=0):
            paid.append(asked)
            super().pay(asked, cells, forks)

    paid: list[float] = []
    mended = "torch.equal(scores, torch.matmul(q, k.mT) / math.sqrt(d_k)) and mask is None"
    last = "    return torch.matmul(weights, v), weights\n"
    text = RIGHT.replace("/ math", "* math")
    text = text.replace(last, f"    while q.dim() > 3 and {mended}:\n        pass\n{last}")
    assert find(text, purse=Account(time.monotonic() + 300)) == []
    assert max(paid) >= 500


def test_what_is_right_in_a_process_of_many_edits_alone_is_not_told(find):
    """From the second call on it is right, whatever the edit: no edit mends the first."""
    wrong = RIGHT.replace("scores / math", "scores / SEEN.pop() / math")
    assert find("SEEN = [9.0] + [1.0] * 9999\nSEEN.reverse()\n" + wrong) == []


def test_a_cell_that_does_not_parse_is_left_alone(find):
    assert find("def scaled_dot_product_attention(q, k, v, mask=None)\n    return q, k") == []


def test_lines_that_are_wrong_alike_are_told_together(find):
    copies = "    q = torch.tensor(q)\n    k = torch.tensor(k)\n    v = torch.tensor(v)\n"
    (found,) = find(RIGHT.replace("    d_k = q", f"{copies}    d_k = q"))
    assert (found.line, found.others) == (2, (3, 4))
    assert ", and the same in line 3, 4," in found.said


def test_of_values_typed_by_hand_the_one_that_is_wrong_is_told(find):
    text = "hand_weights = torch.tensor([[0.1, 0.3, 0.6], [0.9, 0.25, 0.25]])\n"
    output = "hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]])\n"
    (found,) = find(text + output, "hand_example")
    assert (found.line, found.source) == (1, text.strip())
    assert find("f = torch.tensor\n" + text.replace("0.9, ", "a, "), "hand_example") == []


def test_what_is_missing_for_blocked_rows_is_told(find):
    last = "    if mask is not None:\n        weights = weights.masked_fill(~mask, 0.0)\n"
    (found,) = find(RIGHT.replace(last, ""))
    assert found.missing
    assert found.source == "weights = torch.softmax(scores, dim=-1)"


MODEL = """\
class Transformer(nn.Module):
    def __init__(
        self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048, n_layers=6,
        max_len=512, dropout=0.1, pad_id=0,
    ):
        super().__init__()
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        self.register_buffer("earlier", torch.ones(2 * max_len, 2 * max_len).tril().bool())

    def source_mask(self, source):
        return source.ne(self.pad_id)[:, None, None]

    def target_mask(self, target):
        t = target.shape[1]
        return target.ne(self.pad_id)[:, None, None] & self.earlier[:t, :t]

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
"""


@pytest.mark.slow
def test_the_line_of_a_parameter_that_was_not_asked_for_is_soon_found(find_in):
    """Making the model is dear, and only a line that names the parameter is tried."""
    purse = Purse(time.monotonic() + 300)
    before = purse.left
    (found,) = find_in("a5_transformer")(MODEL, "transformer", purse)
    assert found.source.startswith('self.register_buffer("earlier"')
    assert found.items == ("arguments",)
    assert purse.left > before / 2


def test_what_passed_is_touched_by_no_line(find_in):
    """The stream is written to: what is asked of gradients fails, and all else passes.

    Everywhere the input has changed; but most items do not ask for that.
    """
    text = """\
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x += self.drop(self.self_attn(x, x, x, mask))
        x = self.norm1(x)
        return self.norm2(x + self.drop(self.feed_forward(x)))
"""
    found = find_in("a4_layers")(text, "encoder_layer")
    assert {item for each in found for item in each.items} <= {"encoder_gradients"}


OTHER = Path(__file__).resolve().parents[1] / "another_course"
# In it nothing can be put right.
UPSIDE_DOWN = '''\
exec("""
def windows(x, k):
    if k > x.shape[-1]:
        raise ValueError(f"a window of {k} does not fit into a signal of {x.shape[-1]}")
    return -x.unfold(-1, k, 1)
""")
'''


def test_no_line_makes_up_for_an_earlier_part_that_nobody_is_given(find_in):
    """With another sign in what is built on it all would be right there, too."""
    exam = prepare(read_course(OTHER), "convolution", "a secret")
    exam = replace(exam, source=replace(exam.source, given=""))
    assert find_in(exam)(UPSIDE_DOWN, "windows") == []


def test_an_error_that_an_edit_meets_by_chance_proves_nothing(find_in):
    """Rows of different lengths are a ValueError of torch's: nobody asked for that one."""
    text = """\
def sinusoidal_encoding(max_len, d_model):
    rows = [
        [pos / 1000 ** (2 * i / d_model) + 1 for i in range(d_model)]
        for pos in range(max_len)
    ]
    table = torch.tensor(rows, dtype=torch.float64)
    table[:, 0::2] = table[:, 0::2].sin()
    table[:, 1::2] = table[:, 1::2].cos()
    return table.float()
"""
    assert find_in("a3_positional_encoding")(text, cell="sinusoidal_encoding") == []
