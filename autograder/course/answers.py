"""The answers to what a notebook gives to think about: `answers.md`, beside its source.

A heading repeats how a question begins; below it stands the answer. It is for staff, and for
students where course.yml says so.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from autograder.course.layout import assignment_folder
from autograder.course.text import text_of

FILE = "answers.md"


@dataclass(frozen=True)
class Answer:
    """The answer to one question, in paragraphs of plain text, with `code` in it."""

    question: str
    paragraphs: tuple[str, ...]


def read_answers(root: Path, assignment_id: str) -> tuple[Answer, ...]:
    """The answers of an assignment in their order; none where there is no such file."""
    path = assignment_folder(root, assignment_id) / FILE
    text = text_of(path) if path.is_file() else ""
    _, *parts = re.split(r"^## +", text, flags=re.MULTILINE)
    found = []
    for part in parts:
        question, _, rest = part.partition("\n")
        said = (" ".join(each.split()) for each in re.split(r"\n\s*\n", rest))
        found.append(Answer(question.strip(), tuple(filter(None, said))))
    return tuple(found)
