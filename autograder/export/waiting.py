"""Who waits for a person to read what they wrote, as the gradebook has it."""

from collections.abc import Mapping

from autograder.course import Assignment
from autograder.export.standing import Standing

__all__ = ["waiting"]

_AGAIN = "points given before, to be confirmed by Resolve"


def waiting(assignment: Assignment, standings: Mapping[str, Standing]) -> dict[str, list[str]]:
    """The students of whom each part that people grade is still to be read, by the part's id.

    The parts are in the order of course.yml; one of which nothing waits is not there. Last come
    those whose score asks for another look, as where an item has other points than when somebody
    gave some for it.
    """
    found = {
        part.id: sorted(student for student, each in standings.items() if part.id in each.waiting)
        for part in assignment.manual
    }
    found[_AGAIN] = sorted(
        who for who, each in standings.items() if each.again and not each.waiting
    )
    return {part: students for part, students in found.items() if students}
