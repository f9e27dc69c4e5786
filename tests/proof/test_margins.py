"""The tolerances of course.yml lie between the errors of right code and those of wrong code.

Some samples of one assignment are measured here; `autograder verify` measures all.
"""

from dataclasses import replace

import pytest

from autograder.grading import limits_of, prepare
from autograder.proof.tolerances import FACTOR, margins
from autograder.sandbox.host import Server
from autograder.sandbox.walls import choose

NAMES = ("einsum", "exp_and_normalise", "scaled_queries", "no_scale", "fill_too_weak")


@pytest.fixture(scope="module")
def measure(exam, samples):
    chosen = [samples[name] for name in NAMES]
    with Server(choose(), limits_of(exam.assignment)) as server:
        yield lambda exam: margins(exam, chosen, server)


def test_each_tolerance_is_far_from_right_code_and_from_wrong_code(exam, measure):
    found = measure(exam)
    assert [each.item for each in found] == [each.id for each in exam.assignment.items]
    assert all(each.holds for each in found)
    numeric = [each for each in found if each.right is not None]
    assert len(numeric) >= len(found) / 2
    assert sum(each.wrong is not None for each in numeric) >= len(numeric) / 3
    assert all(0 < each.right <= 1 / FACTOR for each in numeric if each.right_name == "einsum")


@pytest.mark.parametrize(("tolerance", "side"), [(1e-2, "wrong"), (1e-15, "right")])
def test_one_that_is_too_near_does_not_hold(exam, measure, tolerance, side):
    items = [each.model_copy(update={"tolerance": tolerance}) for each in exam.assignment.items]
    assignment = exam.assignment.model_copy(update={"items": tuple(items)})
    near = [each for each in measure(replace(exam, assignment=assignment)) if not each.holds]
    assert near
    assert all(getattr(each, f"{side}_name") in NAMES for each in near)


def test_of_several_secrets_the_worst_counts(course, exam, samples):
    chosen = [samples[name] for name in ("careful_numbers", "root_in_float32")]
    others = [prepare(course, exam.assignment.id, f"secret {i}") for i in range(2)]
    with Server(choose(), limits_of(exam.assignment)) as server:
        alone = [margins(each, chosen, server) for each in (exam, *others)]
        together = margins(exam, chosen, server, more=others)
    for each, parts in zip(together, zip(*alone, strict=True), strict=True):
        assert each.holds
        for side, worst in (("right", max), ("wrong", min)):
            found = [getattr(part, side) for part in parts if getattr(part, side) is not None]
            assert getattr(each, side) == (worst(found) if found else None)
