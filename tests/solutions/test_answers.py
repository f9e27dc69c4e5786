"""Every question to think about has its answer, in the order of the notebook."""

import pytest
from reference import ROOT

from autograder.course import read_answers, read_course, source_path
from autograder.notebooks import read_source

NAMES = [each.id for each in read_course(ROOT).assignments]


@pytest.mark.parametrize("name", NAMES)
def test_each_question_has_its_answer(name):
    cells = read_source(source_path(ROOT, name)).cells
    story = " ".join(" ".join(each.source for each in cells if each.kind == "markdown").split())
    asked = story.split("**To think about.** ")[1:]
    answers = read_answers(ROOT, name)
    assert [each.question for each in answers] == [
        question[: len(answer.question)] for question, answer in zip(asked, answers, strict=True)
    ]
    assert all(answer.paragraphs for answer in answers)
