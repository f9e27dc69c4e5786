"""What grades one cell of a student's, or some, the rest being right."""

import json
from dataclasses import replace

import pytest

from autograder.grading import grade
from autograder.proof.proving import Maker


@pytest.fixture
def hand_in(course, exam_of, server, tmp_path):
    """Grades an assignment that is right except for one cell, and others if they are given."""

    def hand_in(assignment, cell, text, others=None, **policy):
        exam = exam_of(assignment)
        if policy:
            exam = replace(exam, assignment=exam.assignment.model_copy(update=policy))
        path = Maker(course, assignment, tmp_path).hand_in("somebody", cell, text)
        if others:
            notebook = json.loads(path.read_text())
            for each in notebook["cells"]:
                name = each["metadata"].get("nbgrader", {}).get("grade_id", "")
                each["source"] = others.get(name.removeprefix("solution_"), each["source"])
            path.write_text(json.dumps(notebook))
        return grade("somebody", path, exam, server)

    return hand_in
