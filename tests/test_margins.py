"""The tolerances of course.yml lie between the errors of right code and those of wrong code.

Measured on the very questions that the checks ask: the largest error of a right variant must stay
a hundred times below the tolerance, the smallest error of a wrong sample a hundred times above.
Only samples of this repository that mean no harm are run here, in this process.
"""

from pathlib import Path

import pytest
import torch

from autograder.course import read_course
from autograder.grading import prepare
from autograder.notebook import MODULES, read_submission
from autograder.sample import read_samples
from autograder.sandbox.session import Session

ROOT = Path(__file__).resolve().parents[1]
NAME = "a1_attention"
FACTOR = 100


@pytest.fixture(scope="module")
def exam():
    return prepare(read_course(ROOT), NAME, "the secret of the margins")


@pytest.fixture(scope="module")
def samples():
    return read_samples(read_course(ROOT), NAME)


def largest_error(sample, exam, tmp_path):
    """Over all float64 questions, relative to values above 1; None when it cannot be told."""
    path = tmp_path / f"{NAME}.ipynb"
    path.write_bytes(sample.data)
    session = Session()
    for name, source in MODULES.items():
        session.module(name, source)
    for cell in read_submission(path, exam.source).cells:
        session.cell(cell.name, cell.source)
    largest = 0.0
    for question in exam.foreseen:
        if any(
            isinstance(each, torch.Tensor) and each.dtype == torch.float32 for each in question.args
        ):
            continue
        how = question.name, question.args, question.kwargs, question.cotangents, question.elsewhere
        got = session.call(*how)
        expected = exam.reference.call(
            question.name,
            *question.args,
            cotangents=question.cotangents,
            elsewhere=question.elsewhere,
            **question.kwargs,
        )
        if got.failure:
            return None
        for one, other in zip(parts(got), parts(expected), strict=False):
            if not isinstance(one, torch.Tensor) or one.shape != other.shape:
                return None
            difference = (one.double() - other.double()).abs()
            error = (difference / other.double().abs().clamp(min=1)).nan_to_num(float("inf"))
            largest = max(largest, error.max().item() if error.numel() else 0.0)
    return largest


def parts(answer):
    values = answer.value if isinstance(answer.value, tuple) else (answer.value,)
    return [*values, *answer.gradients]


def test_right_variants_are_far_below_the_tolerance(exam, samples, tmp_path):
    tolerance = min(item.tolerance for item in exam.assignment.items)
    errors = {
        sample.name: largest_error(sample, exam, tmp_path)
        for sample in samples
        if sample.kind == "right"
    }
    assert len(errors) >= 8
    assert None not in errors.values()
    assert max(errors.values()) * FACTOR <= tolerance, errors


def test_wrong_samples_are_far_above_it(exam, samples, tmp_path):
    tolerance = min(item.tolerance for item in exam.assignment.items)
    errors = {
        sample.name: largest_error(sample, exam, tmp_path)
        for sample in samples
        if sample.kind == "wrong"
    }
    # The others are wrong in dtype, shape, device, place, or by hand: not in what they compute.
    by_values = {name: error for name, error in errors.items() if error and error > tolerance}
    between = {name: error for name, error in by_values.items() if error < tolerance * FACTOR}
    assert len(by_values) >= 10
    assert between == {}
    rest = [error for name, error in errors.items() if error and name not in by_values]
    assert all(error * FACTOR <= tolerance for error in rest)
