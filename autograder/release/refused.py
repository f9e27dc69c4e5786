"""What a release is refused for though it could be built: nobody could get full marks."""

from collections.abc import Iterator

from autograder.course import Course, place
from autograder.grading import Exam
from autograder.notebooks import banned_uses, place_of

__all__ = ["refused"]


def refused(course: Course, exam: Exam) -> list[str]:
    """A sentence for each slip, with the place where it stands."""
    return [*_short_rubrics(course, exam), *_banned_in_reference(course, exam)]


def _short_rubrics(course: Course, exam: Exam) -> Iterator[str]:
    """With more than a part is worth, lines stand for each other; with less, one is lacking."""
    for part in exam.assignment.manual:
        given = sum(max(line.points, 0.0) for line in part.rubric)
        if 0 < given < part.points - 1e-9:
            at = place(course.root, "assignments", exam.assignment.id, "manual", part.id, "rubric")
            yield (
                f"{at} gives {given:g} points in all, and the part is worth {part.points:g}: let "
                "its lines add up to that, or change its points"
            )


def _banned_in_reference(course: Course, exam: Exam) -> Iterator[str]:
    source, assignment = exam.source, exam.assignment
    uses = {name: ("banned", used) for name, used in _uses(exam, assignment.banned).items()}
    for name, more in assignment.banned_in.items():
        if used := _uses(exam, more).get(name):
            uses.setdefault(name, ("banned_in", used))
    for name, (key, used) in uses.items():
        if name in source.defined_in:
            at = place_of(source.path, "solution", source.defined_in[name])
            by = place(course.root, "assignments", assignment.id, key)
            yield f"{at}: {name} leads to {used}, which {by} forbids: write it without, or allow it"


def _uses(exam: Exam, banned: tuple[str, ...]) -> dict[str, str]:
    return banned_uses(exam.source.reference, banned)
