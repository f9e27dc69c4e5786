"""Right submissions get full marks, wrong ones lose exactly the items that they say they lose."""

from pathlib import Path

import nbformat
import pytest

from autograder import sample
from autograder.result import Verdict
from autograder.sample import STUB

ROOT = Path(__file__).resolve().parents[1]
NAME = "a1_attention"
RIGHT = sorted(path.stem for path in ROOT.glob(f"autograder/variants/{NAME}/*.py"))
WRONG = sorted(path.stem for path in ROOT.glob(f"tests/wrong/{NAME}/*.py"))


def lost(result):
    return {item.item for item in result.items if item.verdict is not Verdict.PASSED}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_gets_full_marks(name, samples, grade_bytes):
    result = grade_bytes(samples[name].data)
    assert [item.message for item in result.items if item.message] == []
    assert result.score == result.max_score


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_loses_exactly_what_it_says(name, samples, grade_bytes, exam):
    wrong = samples[name]
    result = grade_bytes(wrong.data)
    assert lost(result) == wrong.fails
    assert wrong.fails
    for item in result.items:
        if item.item not in wrong.fails:
            continue
        sentences = {check.sentence for check in exam.outcomes if check.item == item.item}
        sentence, _, said = item.message.partition("\n")
        assert sentence in sentences
        assert item.verdict in (Verdict.WRONG, Verdict.ERROR, Verdict.FORBIDDEN, Verdict.MISSING)
        # What was called and what came of it; for a wrong value also what to think about.
        words = ("expected", "raised", "uses", "stub", "changes", "it ")
        assert any(each in said for each in words)
        assert len(said.splitlines()) >= 2 or item.verdict is not Verdict.WRONG


def test_the_stub_is_missing_all_of_it(samples, grade_bytes):
    result = grade_bytes(samples[STUB].data)
    assert {item.verdict for item in result.items} == {Verdict.MISSING}
    assert all("is still the stub" in item.message for item in result.items)
    assert result.notes == ()


def test_every_item_is_lost_by_somebody_who_keeps_others(samples, course):
    wrong = [each.fails for each in samples.values() if each.kind == "wrong"]
    for item in course.assignment(NAME).items:
        assert min(len(fails) for fails in wrong if item.id in fails) <= 3, item.id


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
    for name, item in alone.items():
        assert samples[name].fails == {item}


def test_there_are_enough_of_each_kind(samples):
    kinds = [each.kind for each in samples.values()]
    assert kinds.count("right") >= 8
    assert kinds.count("wrong") >= 12
    assert kinds.count("stub") == 1
    abouts = [each.about for each in samples.values()]
    assert all(about.endswith((".", "?")) and len(about) < 100 for about in abouts)


def test_the_class_of_the_demo(course, samples, monkeypatch):
    monkeypatch.setattr(sample, "read_samples", lambda *_: list(samples.values()))
    class_ = sample.sample_class(course, NAME)
    names = [each.name for each in class_]
    assert len(names) == len(set(names)) >= 24
    kinds = {each.kind for each in class_}
    assert kinds == {"right", "wrong", "stub", "broken", "hostile"}
    harmful = [each for each in class_ if each.kind in ("broken", "hostile")]
    assert len(harmful) == 16  # all that the module names are there
    assert {*RIGHT, *WRONG, STUB} <= set(names)


def test_a_sample_is_handed_in_as_jupyter_would_save_it(samples, tmp_path):
    path = samples["helpers_and_plots"].write(tmp_path)
    assert path == tmp_path / "helpers_and_plots" / NAME / f"{NAME}.ipynb"
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
