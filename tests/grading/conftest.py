"""What grades one cell of a student's, the rest being right."""

from dataclasses import replace

import pytest

from autograder.grading import grade
from autograder.proof.proving import Maker


@pytest.fixture
def hand_in(course, exam_of, server, tmp_path):
    """Grades an assignment that is right except for one cell."""

    def hand_in(assignment, cell, text, **policy):
        exam = exam_of(assignment)
        if policy:
            exam = replace(exam, assignment=exam.assignment.model_copy(update=policy))
        path = Maker(course, assignment, tmp_path).hand_in("somebody", cell, text)
        return grade("somebody", path, exam, server)

    return hand_in
