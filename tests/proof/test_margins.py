"""The tolerances of course.yml lie between the errors of right code and those of wrong code.

All that is right is measured here, and the wrong ones of the demo's class; every wrong one is
measured by `autograder verify`, which takes minutes.
"""

from pathlib import Path

import pytest

from autograder.course.manifest import read_course
from autograder.grading import limits_of, prepare
from autograder.proof.samples import sample_class
from autograder.proof.tolerances import FACTOR, margins
from autograder.sandbox.host import Server
from autograder.sandbox.walls import choose

ROOT = Path(__file__).resolve().parents[2]
COURSE = read_course(ROOT)


@pytest.fixture(scope="module", params=[each.id for each in COURSE.assignments])
def measured(request):
    exam = prepare(COURSE, request.param, "the secret of the margins")
    samples = sample_class(COURSE, request.param)
    with Server(choose(), limits_of(exam.assignment)) as server:
        return margins(exam, samples, server), exam


def test_each_tolerance_is_far_from_right_code_and_from_wrong_code(measured):
    found, _ = measured
    assert [each for each in found if not each.holds] == []


def test_they_were_measured(measured):
    found, exam = measured
    assert [each.item for each in found] == [each.id for each in exam.assignment.items]
    numeric = [each for each in found if each.right is not None]
    assert len(numeric) >= len(found) / 2
    assert sum(each.wrong is not None for each in numeric) >= len(numeric) / 3
    assert all(each.right <= 1 / FACTOR for each in numeric)


def test_there_are_thirty_right_variants_over_the_course():
    folder = ROOT / "solutions"
    assert len(list(folder.glob("*/right/*.py"))) >= 30
