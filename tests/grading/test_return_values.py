"""Whatever a function returns, it is a student's mistake and no fault of ours."""

import random
from pathlib import Path

import pytest
from odd_values import VALUES, returning, targets

from autograder.checking.heard import Heard
from autograder.course import Verdict, read_course
from autograder.grading import grade
from autograder.proof.samples import answered, as_saved, handed_in_files

# Each of these ended a check, or the search for what explains it.
KNOWN = [
    ("a2_multi_head", "MultiHeadAttention.forward", "_each(lambda x: x.to('meta'), right)"),
    ("a4_layers", "LayerNorm.state_dict", "_each(lambda x: x.to('meta'), right)"),
    ("a4_layers", "LayerNorm.forward", "torch.device('cpu')"),
    ("a6_translation", "warmup_rate", "torch.empty((), device='meta')"),
]
ROOT = Path(__file__).resolve().parents[2]
A_FEW = 2  # of all values, for each function and method
LONG = ("a4_layers", "a5_transformer")  # their layers take seconds: of these, one


@pytest.fixture
def hand_in_plain(course, exam_of, one_server, samples_of, tmp_path):
    def hand_in(assignment, target, value):
        right = answered(course, assignment, samples_of(assignment)["untouched_stub"].data)
        path = tmp_path / f"{assignment}.ipynb"
        path.write_bytes(as_saved(returning(right, value, [target])))
        for name, data in handed_in_files(course, assignment).items():
            (tmp_path / name).write_bytes(data)
        return grade("x", path, exam_of(assignment), one_server)

    return hand_in


@pytest.fixture
def hand_in(hand_in_plain, caplog):
    def hand_in(assignment, target, value):
        result = hand_in_plain(assignment, target, value)
        ours = [each.message for each in result.items if each.verdict is Verdict.INTERNAL]
        assert ours == [], (target, value)
        assert caplog.messages == [], (target, value)
        return result

    return hand_in


@pytest.mark.parametrize(("assignment", "target", "value"), KNOWN)
def test_what_cannot_be_computed_with_is_wrong(assignment, target, value, hand_in):
    result = hand_in(assignment, target, value)
    assert result.score < result.max_score


def test_a_fault_of_ours_in_one_check_is_not_one_in_all(hand_in_plain, monkeypatch):
    def fails(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(Heard, "odd", fails)
    verdicts = [each.verdict for each in hand_in_plain(*KNOWN[0]).items]
    assert Verdict.INTERNAL in verdicts
    assert Verdict.PASSED in verdicts


@pytest.mark.slow
@pytest.mark.parametrize("assignment", [each.id for each in read_course(ROOT).assignments])
def test_some_of_all_values(assignment, exam_of, hand_in):
    choose = random.Random(assignment)
    for target in targets(exam_of(assignment)):
        for value in choose.sample(VALUES, 1 if assignment in LONG else A_FEW):
            hand_in(assignment, target, value)
