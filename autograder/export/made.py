"""What was published of a class, and of what it was made: what would be the same is left alone.

A student's page, notebook and scores are made of the result, the time of hand-in, the release,
course.yml, the answers, the roster, extensions, nbgrader's settings, this engine, and what the
gradebook says: there, people change points, comments and extensions, and other assignments use
up late days. All of these together make a print, and so do the files that came of it, since
anybody may have removed or replaced them.
"""

import inspect
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.course import (
    ANSWERS,
    EXTENSIONS,
    MANIFEST,
    ROSTER,
    Assignment,
    Course,
    assignment_folder,
    print_of,
    print_of_engine,
    state_folder,
    write_atomically,
)
from autograder.export.settings import CONFIG, Settings

__all__ = ["Made"]

_FILE = "published.json"
_KINDS = (".py", ".jinja", ".css", ".js")
_CLASS = ""  # no student is called so


class Made:
    """The prints of what an assignment's last runs left. A file; without it, all is made again."""

    def __init__(
        self, course: Course, assignment: Assignment, folder: Path, settings: Settings
    ) -> None:
        self._folder = folder / assignment.id
        self._file = state_folder(folder, assignment.id) / _FILE
        self._class_page = folder / f"{assignment.id}.html"
        self._assignment, self._settings = assignment, settings
        release = course.root / "assignments" / assignment.id
        self._common = print_of(
            (
                print_of_engine(*_KINDS),
                *(_look(each) for each in sorted(release.rglob("*"))),
                *(_read(course.root / each) for each in (MANIFEST, CONFIG, ROSTER, EXTENSIONS)),
                _read(assignment_folder(course.root, assignment.id) / ANSWERS),
                _read(Path(inspect.getfile(type(settings.penalties.plugin_inst)))),
            )
        )
        try:
            self._prints: dict[str, str] = dict(json.loads(_read(self._file)))
        except (ValueError, TypeError):
            self._prints = {}

    def stands(self, student: str, submitted: Path, says: str) -> bool:
        """Whether all of a student is as it would be made; says: of them, by the gradebook."""
        return self._prints.get(student) == self._of(student, submitted, says)

    def class_stands(self, says: Mapping[str, str], ungraded: Iterable[str]) -> bool:
        """Whether the class page is, of all who were ever graded, and of who waits for it."""
        return self._prints.get(_CLASS) == self._of_class(says, ungraded)

    def forget(self, students: Iterable[str]) -> None:
        """What of these is there is about to be replaced, which may be broken off."""
        for each in (_CLASS, *students):
            self._prints.pop(each, None)
        self._write()

    def remember(
        self, submitted: Mapping[str, Path], says: Mapping[str, str], ungraded: Iterable[str]
    ) -> None:
        """All of these has been made."""
        for student, path in submitted.items():
            self._prints[student] = self._of(student, path, says.get(student, ""))
        self._prints[_CLASS] = self._of_class(says, ungraded)
        self._write()

    def _write(self) -> None:
        write_atomically(self._file, json.dumps(self._prints))

    def _of(self, student: str, submitted: Path, says: str) -> str:
        name = self._assignment.id
        return print_of(
            (
                self._common,
                _read(self._folder / f"{student}.json"),
                _look(submitted / f"{name}.ipynb"),
                _look(submitted / "timestamp.txt"),
                says,
                _look(self._settings.feedback(student, name) / f"{name}.html"),
                _look(self._settings.autograded(student, name) / f"{name}.ipynb"),
            )
        )

    def _of_class(self, says: Mapping[str, str], ungraded: Iterable[str]) -> str:
        results = (_look(each) for each in sorted(self._folder.glob("*.json")))
        everybody = (f"{student}\0{said}" for student, said in sorted(says.items()))
        return print_of(
            (self._common, *results, *everybody, *sorted(ungraded), _look(self._class_page))
        )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _look(path: Path) -> str:
    """What tells a file from another one in its place; nothing for none."""
    try:
        info = path.lstat()
    except OSError:
        return ""
    return f"{path.name} {info.st_ino} {info.st_size} {info.st_mtime_ns}"
