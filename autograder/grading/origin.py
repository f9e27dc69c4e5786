"""What a result came from, by content: from the same, grading again would give the same.

That is what was handed in, the assignment with all that its checks ask, its entry in course.yml,
this engine and the libraries that it computes with, the wall, and the secret, of which there is
no more than its fingerprint. A result names these, so that only what is new or has changed is
graded, and a run goes on where another one was broken off.
"""

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from autograder.course import (
    SOLUTIONS,
    Assignment,
    Course,
    Result,
    assignment_folder,
    fingerprint,
    print_of,
    print_of_engine,
    print_of_files,
    source_path,
)
from autograder.grading.exam import Exam, also_from
from autograder.grading.submission import grade
from autograder.notebooks import (
    UnreadableSubmission,
    files_beside,
    find_submission,
    lie_beside,
    read_bounded,
    read_source,
)
from autograder.sandbox.host import Server

ARE_SAMPLES = frozenset({"right", "wrong", "hostile", "__pycache__"})  # folders that no exam needs
_TIME = "timestamp.txt"  # of handing in: it says nothing about what was
# Of an entry in course.yml: what pages, gradebook and release make of a result, or of none.
_AFTER_GRADING = {
    *("answers", "at_once", "dates", "diagnose_in_notebook", "estimate", "extra", "feedback"),
    *("late", "manual", "weight"),
}


@dataclass(frozen=True)
class Origin:
    """What all results of a class come from: a text for each part, that tells it from others."""

    assignment: Assignment
    parts: Mapping[str, str]

    def of(self, handed_in: Path) -> dict[str, str]:
        """What the result of this submission comes from; of an unreadable one there is no telling.

        It is to be asked before grading: what changes meanwhile is graded again.
        """
        try:
            return {**self.parts, "submission": _submission(handed_in, self.assignment)}
        except (UnreadableSubmission, OSError):
            return {}

    def kept(self, path: Path, student: str, handed_in: Path) -> Result | None:
        """The result at `path`, if it is what grading would give; never one that asks for staff."""
        try:
            result = Result.read(path)
        except (ValueError, OSError):
            return None
        if result.asks_for_staff or result.student != student:
            return None
        return result if result.came_from == self.of(handed_in) else None

    def grade(self, student: str, handed_in: Path, exam: Exam, server: Server) -> Result:
        """Grade, and note in the result what it came from."""
        came_from = self.of(handed_in)
        result = grade(student, handed_in, exam, server)
        return result.model_copy(update={"came_from": came_from})


def origin_of(course: Course, assignment_id: str, secret: str, wall: str) -> Origin:
    """What the results of an assignment come from, as the course's files are now."""
    assignment = course.assignment(assignment_id)
    entry = assignment.model_dump_json(exclude=_AFTER_GRADING)
    libraries = (f"{each} {version(each)}" for each in ("torch", "numpy", "safetensors"))
    return Origin(
        assignment,
        {
            "engine": print_of_engine(".py"),
            "libraries": ", ".join((f"python {platform.python_version()}", *libraries)),
            "assignment": print_of_files(course.root, _sources(course, assignment_id)),
            "course.yml": print_of([entry.encode()]),
            "wall": wall,
            "secret": fingerprint(secret),
        },
    )


def _sources(course: Course, assignment_id: str) -> list[Path]:
    """The files that an exam is made of: its own, the shared ones, and those it has parts of."""
    others = also_from(course, read_source(source_path(course.root, assignment_id)))
    folders = [assignment_folder(course.root, each) for each in (assignment_id, *others)]
    found = [each for each in (course.root / SOLUTIONS).iterdir() if each.is_file()]
    for folder in folders:
        for each in folder.rglob("*"):
            if each.is_file() and ARE_SAMPLES.isdisjoint(each.relative_to(folder).parts):
                found.append(each)
    return found


def _submission(handed_in: Path, assignment: Assignment) -> str:
    path = find_submission(handed_in, assignment.id)
    parts = [path.name.encode(), read_bounded(path), *(each.encode() for each in lie_beside(path))]
    beside = dict(files_beside(path.parent, (_TIME, path.name)))
    for name, data in sorted(beside.items()):
        parts += [name.encode(), data]
    for name in set(assignment.handed_in) - beside.keys():  # of another kind, or very long
        if os.path.lexists(path.with_name(name)):
            info = path.with_name(name).lstat()
            parts += [name.encode(), f"{info.st_size} {info.st_mtime_ns}".encode()]
    return print_of(parts)
