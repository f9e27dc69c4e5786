"""What is rare and shared is found, in disguise too; what everybody has is nothing."""

import ast
import random
import re
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.course import read_course, source_path
from autograder.notebooks import read_source
from autograder.similar.comparing import FLOOR, Rarity, compare
from autograder.similar.marks import key_of, marks, names
from autograder.similar.works import HandedOut, Work, handed_out

ROOT = Path(__file__).resolve().parents[2]
COURSE = read_course(ROOT)
NOTHING = HandedOut(frozenset(), frozenset())


def keys(text, kind, known=frozenset()):
    return {mark.key for mark in marks(text, known) if mark.kind == kind}


def work(student, *texts, given=NOTHING, folder=None, mistakes=()):
    wrong = {key_of("mistake", what): what for what in mistakes}
    found = {mark.key for text in texts for mark in given.own(text)} | wrong.keys()
    cells = tuple((f"cell {number}", text) for number, text in enumerate(texts))
    return Work(student, folder, cells, np.array(sorted(found), np.uint64), wrong)


def program(seed, lines=40):
    """Code that nobody else writes."""
    draw = random.Random(seed)
    signs = ["+", "-", "*", "/", "@", "%", "//", "**", "&", "|"]
    return "\n".join(
        f"value = f(x, {draw.randrange(999)}) {draw.choice(signs)} g({draw.randrange(999)})"
        for _ in range(lines)
    )


HANDS = """
def softly(scores, axis):
    # the largest one first, so that nothing overflows
    peak = scores.amax(dim=axis, keepdim=True)
    raised = torch.exp(scores - peak)
    return raised / raised.sum(dim=axis, keepdim=True)
"""
RENAMED = """
def g(a,   b):
    q = a.amax(dim=b,
               keepdim=True)  # hm
    w = torch.exp(a - q)
    return w / w.sum(dim=b, keepdim=True)
"""


def test_renaming_and_formatting_keep_the_code_and_lose_the_words():
    assert keys(HANDS, "code") == keys(RENAMED, "code") != set()
    assert keys(HANDS, "name") == {
        key_of("name", each) for each in ("softly", "scores", "axis", "peak", "raised", "torch")
    } | {key_of("name", each) for each in ("dim", "keepdim")}
    assert keys(HANDS, "words") == {
        key_of("words", "the largest one first so that nothing overflows")
    }
    assert not keys(RENAMED, "words")


def test_what_torch_calls_it_nobody_chose():
    assert keys(HANDS, "code") != keys(HANDS.replace("amax", "amin"), "code")
    known = names("torch.exp(scores, dim=0, keepdim=True)")
    assert keys(HANDS, "name", known) == {
        key_of("name", each) for each in ("softly", "axis", "peak", "raised")
    }


def test_a_key_is_the_same_in_every_run():
    assert key_of("name", "peak") == 7433309112946894962
    assert key_of("code", "name = name") % 2 == 1


@pytest.mark.parametrize(
    "text",
    [
        *('"' * 75_000, "\\" * 75_000, "'\\" * 37_000, '"""' + "\\" * 75_000, "1e" * 37_000),
        '\\"""\n' * 15_000 + "\\",  # none of them is closed
    ],
)
def test_no_text_takes_long(text):
    started = time.perf_counter()
    assert len(list(marks(text, frozenset()))) < 80_000
    assert time.perf_counter() - started < 20


def test_what_only_two_share_is_a_pair_and_what_a_quarter_has_is_nothing():
    class_ = [work(f"s{number:02}", program(number)) for number in range(20)]
    shared = program("shared")
    assert compare(class_, 20).pairs == ()
    two = [work(f"t{number}", program(f"t{number}"), shared) for number in range(2)]
    (pair,) = compare([*class_, *two], 20).pairs
    assert {pair.left.label, pair.right.label} == {"t0", "t1"}
    three = [*two, work("t2", shared)]
    less = compare([*class_, *three], 20)
    assert [each.score < pair.score for each in less.pairs] == [True] * 3
    assert less.groups == (("t0", "t1", "t2"),)
    many = [work(f"t{number}", program(f"t{number}"), shared) for number in range(8)]
    assert compare([*class_, *many], 20).pairs == ()
    assert compare([*class_[:2], *two], 20).pairs == ()  # of four, nothing is known to be rare


def test_names_and_mistakes_count_too():
    class_ = [work(f"s{number:02}", program(number)) for number in range(70)]
    words = " ".join(f"unusual_{number} = 1" for number in range(8))
    told = [f"Mistake {number}." for number in range(8)]
    by_name = [work("t0", words), work("t1", words.replace("=", "+="))]
    by_mistake = [work("u0", "", mistakes=told), work("u1", "", mistakes=told)]
    found = compare([*class_, *by_name, *by_mistake], 20).pairs
    assert [(each.left.label, each.right.label) for each in found] == [("t0", "t1"), ("u0", "u1")]
    assert found[0].score == pytest.approx(8)


def test_earlier_classes_are_compared_but_nobody_with_themselves():
    class_ = [work(f"s{number:02}", program(number)) for number in range(20)]
    shared, other = program("shared"), program("other")
    earlier = [work("t0", shared, folder="2025"), work("t1", other, folder="2025")]
    earlier += [work("t2", other, folder="2025")]
    now = [work("t3", shared)]
    found = compare([*class_, *now, *earlier], 20).pairs
    assert [(each.left.label, each.right.label) for each in found] == [("t3", "2025/t0")]
    assert compare([*class_, work("t0", shared), *earlier], 20).pairs == ()


def test_the_order_of_the_class_changes_nothing():
    class_ = [work(f"s{number:02}", program(number // 2)) for number in range(30)]
    shuffled = random.Random(1).sample(class_, len(class_))
    ours, theirs = (
        [(round(each.score, 9), {each.left.label, each.right.label}) for each in found.pairs]
        for found in (compare(class_, 100), compare(shuffled, 100))
    )
    assert len(ours) == 15
    assert ours == theirs


# The right samples of the course: solutions in different styles.


def right_samples(assignment, given):
    folder = source_path(ROOT, assignment).parent
    for path in sorted(folder.glob("right/*.py")):
        cells = re.split(r"^# %%.*\n", path.read_text(), flags=re.MULTILINE)[1:]
        yield work(path.stem, *cells, given=given)


def given_in(assignment):
    release = ROOT / "assignments" / assignment / f"{assignment}.ipynb"
    return handed_out(read_source(source_path(ROOT, assignment)), release)


class Renamed(ast.NodeTransformer):
    """Other names for all that the writer named."""

    def __init__(self, known):
        self.known = known

    def visit_Name(self, node):
        node.id = node.id if node.id in self.known else f"other_{len(node.id)}_{node.id[::-1]}"
        return node


def disguised(text, known):
    """Without comments, with other names, its functions in another order."""
    tree = Renamed(known).visit(ast.parse(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.body.reverse()
    tree.body.reverse()
    return ast.unparse(tree)


@pytest.mark.parametrize("assignment", [each.id for each in COURSE.assignments])
def test_right_samples_are_no_pairs_and_a_copy_of_one_in_disguise_is_the_first(assignment):
    given = given_in(assignment)
    samples = list(right_samples(assignment, given))
    assert Rarity(samples).scores().max() < FLOOR
    own = max(samples, key=lambda each: len(each.keys))
    copied = [disguised(text, given.names) for _, text in own.cells]
    found = compare([*samples, work("copy", *copied, given=given)], 3).pairs
    assert {found[0].left.label, found[0].right.label} == {"copy", own.label}


def test_what_was_handed_out_and_the_right_answer_count_for_nothing():
    source = read_source(source_path(ROOT, COURSE.assignments[0].id))
    given = given_in(source.assignment)
    for cell in source.cells:
        if cell.role == "solution":
            text = re.sub(r"^ *### (BEGIN|END) SOLUTION\n", "", cell.source, flags=re.MULTILINE)
            assert not list(given.own(text))
