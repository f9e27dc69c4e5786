"""Right submissions get full marks, wrong ones lose exactly the items that they say they lose."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder.course import source_path
from autograder.course.manifest import read_course
from autograder.course.result import Verdict
from autograder.notebooks.source import read_source
from autograder.proof import samples as sample
from autograder.proof.samples import STUB

ROOT = Path(__file__).resolve().parents[2]
COURSE = read_course(ROOT)
NAMES = [each.id for each in COURSE.assignments]
LOST = (Verdict.WRONG, Verdict.ERROR, Verdict.FORBIDDEN, Verdict.MISSING)
# One of these says how something ended that is not just wrong.
ENDED = ("raised", "uses", "is still the stub", "is not defined")
# Said first of an item that is lost behind another component's mistake.
BEHIND = re.compile(r"Once .* replaced by (a right one|right ones), this is left:\n")


def files(pattern):
    """An assignment and a sample's name, for each file that `pattern` finds."""
    return [(name, path.stem) for name in NAMES for path in sorted(ROOT.glob(pattern.format(name)))]


RIGHT = files("solutions/{}/right/*.py")
WRONG = files("solutions/{}/wrong/*.py")


def sentences(assignment_id):
    """What the checks of each item say that they look at."""
    text = (ROOT / "solutions" / assignment_id / "checks.py").read_text()
    found = {}
    for node in ast.parse(text).body:
        for marker in getattr(node, "decorator_list", ()):
            if isinstance(marker, ast.Call) and getattr(marker.func, "id", "") == "item":
                found.setdefault(marker.args[0].value, set()).add(ast.get_docstring(node))
    return found


@pytest.mark.parametrize(("assignment", "name"), RIGHT[::4])  # `make verify` grades all
def test_a_right_one_gets_full_marks(assignment, name, graded):
    result = graded(assignment, name)
    assert [item.message for item in result.items if item.message] == []
    assert {item.verdict for item in result.items} == {Verdict.PASSED}
    assert result.score == result.max_score


@pytest.mark.parametrize(("assignment", "name"), WRONG[::12])  # `make verify` grades all
def test_a_wrong_one_loses_exactly_what_it_says(assignment, name, samples_of, graded):
    wrong, result = samples_of(assignment)[name], graded(assignment, name)
    said_by = sentences(assignment)
    names = read_source(source_path(ROOT, assignment)).defined_in
    assert wrong.misjudged(result) is None
    assert wrong.fails
    for item in result.items:
        if item.verdict is Verdict.CARRIED:
            assert item.score == item.points
            assert item.message.startswith(
                ("It is right: it passes once ", "It is right except for ")
            )
        elif item.item in wrong.fails:
            message = item.message if item.hint is None else f"{item.message}\n{item.hint}"
            sentence, _, said = BEHIND.sub("", message, count=1).partition("\n")
            assert sentence in said_by[item.item]
            assert item.verdict in LOST
            assert any(each in said for each in [*names, "cell"]), said
            # What was called and what came of it; for a wrong value also what to think about.
            if item.verdict is Verdict.WRONG:
                assert re.match(r"\w.*: \S", said), said
                told = len(said.splitlines()) >= 2 or "parameters" in said or said.endswith("?")
                assert told or "expected " in said or " is on torch's default device" in said, said
            else:
                assert any(each in said for each in ENDED), said


@pytest.mark.parametrize("assignment", NAMES)
def test_the_stub_is_missing_all_of_it(assignment, graded):
    result = graded(assignment, STUB)
    assert {item.verdict for item in result.items} == {Verdict.MISSING}
    handed_in_beside = ("translation_most", "translation_nearly_all")
    for item in result.items:
        words = "handed in" if item.item in handed_in_beside else "is still the stub"
        assert words in item.message
    assert result.notes == ()


def test_a_sample_that_gets_something_else_is_told(samples, graded):
    """The wrong one that is held for right, and so on: what `misjudged` must see."""
    sample, result = samples["scale_is_a_constant"], graded("a1_attention", "scale_is_a_constant")
    assert sample.misjudged(result) is None
    (lost,) = sample.fails
    assert replace(sample, kind="right", fails=frozenset()).misjudged(result).startswith("loses ")
    more = replace(sample, fails=sample.fails | {"causal_mask"})
    assert more.misjudged(result) == "does not lose causal_mask"
    other = replace(sample, verdict=Verdict.TIMEOUT)
    assert other.misjudged(result).startswith(f"is wrong at {lost}, not timeout: ")


@pytest.mark.parametrize("assignment", NAMES)
def test_every_item_is_lost_by_somebody_who_keeps_others(assignment, samples_of):
    # What is handed in beside the notebook is wrong in the hostile ones alone.
    wrong = [each for each in samples_of(assignment).values() if each.kind in ("wrong", "hostile")]
    items = COURSE.assignment(assignment).items
    fewest = {
        item.id: min(len(each.fails) for each in wrong if item.id in each.fails) for item in items
    }
    assert max(fewest.values()) < len(items)
    # Parameters of other names cost all that loads them; most else can be lost nearly alone.
    assert sum(each <= 3 for each in fewest.values()) >= 0.7 * len(items)


def test_some_faults_cost_one_item_alone(samples):
    alone = {
        "scale_is_a_constant": "attention_scale",
        "uniform_when_all_is_blocked": "attention_blocked_rows",
        "nan_when_all_is_blocked": "attention_blocked_rows",
        "scales_in_place": "attention_tensors",
        "view_on_transposed": "attention_tensors",
        "padding_id_is_a_constant": "padding_mask",
        "hand_output_swapped": "hand_example",
    }
    # Where situations meet, these show as well.
    meet = {"uniform_when_all_is_blocked", "nan_when_all_is_blocked"}
    for name, item in alone.items():
        assert samples[name].fails == {item} | ({"attention_tensors"} if name in meet else set())


@pytest.mark.parametrize("assignment", NAMES)
def test_there_are_enough_of_each_kind(assignment, samples_of):
    found = samples_of(assignment).values()
    kinds = [each.kind for each in found]
    assert kinds.count("right") >= 8
    assert kinds.count("wrong") >= 12
    assert kinds.count("stub") == 1
    assert kinds.count("hostile") >= 5
    assert all(each.about.endswith((".", "?")) and len(each.about) < 100 for each in found)


def test_there_are_thirty_right_ones_over_the_course():
    assert len(RIGHT) >= 30


@pytest.mark.parametrize("assignment", NAMES)
def test_the_class_of_the_demo(assignment, samples_of, monkeypatch):
    every = samples_of(assignment)
    monkeypatch.setattr(sample, "read_samples", lambda *_: list(every.values()))
    class_ = sample.sample_class(COURSE, assignment)
    names = {each.name for each in class_}
    assert 24 <= len(names) == len(class_) <= 50
    assert {name for where, name in RIGHT if where == assignment} | {STUB} <= names
    assert sum(each.kind == "wrong" for each in class_) >= 10
    harmful = [each for each in class_ if each.kind in ("broken", "hostile")]
    assert len(harmful) >= 3
    lost = frozenset().union(*(each.fails for each in class_ if each.name != STUB))
    assert lost == {item.id for item in COURSE.assignment(assignment).items}


def test_a_sample_is_handed_in_as_jupyter_would_save_it(samples, tmp_path):
    path = samples["helpers_and_plots"].write(tmp_path)
    name = "a1_attention"
    assert path == tmp_path / "helpers_and_plots" / name / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert "SOLUTION" not in code
    assert "NotImplementedError()" not in code
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    assert "solution_attention" in ids
    assert ids.index("solution_attention") < ids.index("attention_output")
    place = next(i for i, cell in enumerate(notebook.cells) if "def dot_products" in cell.source)
    assert ids[place - 1] == "solution_attention"
    assert "masked_softmax" in notebook.cells[1].source
