"""A result as the page that its student reads."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from autograder.course import Answer, Assignment, Result
from autograder.export.cards import cards_of, evidence, told_in
from autograder.export.grids import grids
from autograder.export.page import LOOKS, write_page
from autograder.export.standing import Standing

__all__ = ["write_feedback"]


def write_feedback(
    result: Result,
    assignment: Assignment,
    course_name: str,
    path: Path,
    standing: Standing | None = None,
    name: str | None = None,
    answers: Sequence[Answer] = (),
) -> None:
    """Write the feedback page of `result` to `path`, creating its folder.

    standing: what the gradebook says beside it. name: the student's; the id by default.
    answers: to what there was to think about, for students to read. The same gives the same bytes,
    whenever and however long it was graded.
    """
    # What was dropped is told of, and neither counted nor drawn.
    counted = [item for item in result.items if not _is_dropped(item.item, assignment)]
    counts = Counter(item.verdict for item in counted)
    result = result.told(assignment.feedback)
    cards = cards_of(result, assignment.feedback)
    write_page(
        path,
        "export/feedback.html.jinja",
        result=result,
        name=name or result.student,
        cards=cards,
        strip=counted,
        told_in=told_in(cards),
        evidence=evidence,
        standing=standing,
        grids=grids,
        answers=answers,
        assignment=assignment,
        parts={each.id: each for each in (*assignment.items, *assignment.manual)},
        course_name=course_name,
        tally=[(verdict, counts[verdict]) for verdict in LOOKS if counts[verdict]],
    )


def _is_dropped(item: str, assignment: Assignment) -> bool:
    return any(each.id == item and each.dropped for each in assignment.items)
