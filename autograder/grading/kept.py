"""What of a class is graded already, and whose grades would move by what is graded now.

A result takes its place at once, unless it moves a grade that stands although the submission is
the same: then it is our doing, not the student's. Such a one waits beside the others until
somebody has seen what moves.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, Result, state_folder
from autograder.grading.classroom import HandedIn, Room

_WAITING = "moved"


@dataclass(frozen=True)
class Move:
    """A grade that moves: points, None where there is no score, and of how many."""

    student: str
    old: float | None
    new: float | None
    old_of: float
    new_of: float
    items: tuple[str, ...]  # whose scores move, or what they are worth

    @property
    def in_all(self) -> bool:
        """Whether the total moves, too; else its items make up for each other."""
        return (self.old, self.old_of) != (self.new, self.new_of)


def to_grade(room: Room, class_: Sequence[HandedIn]) -> list[HandedIn]:
    """Those whose result is missing, has no score, or came from something else than is there."""
    return [each for each in class_ if not _is_kept(room, each)]


def settle(room: Room, result: Result) -> None:
    """Write a result to its place, or where it waits, whole. Raises OSError."""
    waiting = _waiting(room, result.student)
    if _move(_read(room.result_path(result.student)), result):
        result.write(waiting)
    else:
        result.write(room.result_path(result.student))
        waiting.unlink(missing_ok=True)


def moves(room: Room, students: Iterable[str]) -> Iterator[Move]:
    """The grades of these students that would move."""
    for student in students:
        new, old = _read(_waiting(room, student)), _read(room.result_path(student))
        if new and (move := _move(old, new)):
            yield move


def current(room: Room, student: str) -> Result:
    """What grading found last, whether it waits or not. Raises ValueError and OSError."""
    waiting = _waiting(room, student)
    return Result.read(waiting if waiting.exists() else room.result_path(student))


def accept(room: Room, students: Iterable[str]) -> None:
    """Let the results of these students that wait take their places."""
    for student in students:
        waiting = _waiting(room, student)
        if waiting.exists():
            waiting.replace(room.result_path(student))


def waits(results: Path, assignment_id: str) -> int:
    """How many results of an assignment wait until somebody has seen what they move."""
    return len(list((state_folder(results, assignment_id) / _WAITING).glob("*.json")))


def outdated(results: Path, assignment: Assignment) -> list[str]:
    """Whose results were made when the items of an assignment were others, or worth other points.

    results: the folder of result files; one that cannot be read is another's matter.
    """
    now = {each.id: each.points for each in assignment.items}
    read = (_read(path) for path in sorted((results / assignment.id).glob("*.json")))
    return [
        each.student
        for each in read
        if each is not None and {item.item: item.points for item in each.items} != now
    ]


def _is_kept(room: Room, one: HandedIn) -> bool:
    path, waiting = room.result_path(one.student), _waiting(room, one.student)
    if waiting.exists():
        if room.origin.kept(waiting, one.student, one.path):
            return True
        waiting.unlink()  # of a course that has changed again
    return room.origin.kept(path, one.student, one.path) is not None


def _waiting(room: Room, student: str) -> Path:
    return room.state / _WAITING / f"{student}.json"


def _read(path: Path) -> Result | None:
    try:
        return Result.read(path)
    except (OSError, ValueError):
        return None


def _move(old: Result | None, new: Result) -> Move | None:
    """What moves when the one result takes the other's place, where nobody handed in anew."""
    if old is None or old.needs_staff or not _same_submission(old, new):
        return None
    before, after = (
        {item.item: (item.score, item.points) for item in each.items} for each in (old, new)
    )
    items = tuple(item for item in {**before, **after} if before.get(item) != after.get(item))
    of = old.max_score, new.max_score
    return Move(new.student, old.score, new.score, *of, items) if items else None


def _same_submission(old: Result, new: Result) -> bool:
    was, is_now = (each.came_from.get("submission") for each in (old, new))
    if was and is_now:
        return was == is_now
    return old.submission_sha256 == new.submission_sha256 or new.submission_sha256 is None
