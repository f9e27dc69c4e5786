"""Makes the folder of a new assignment, its entry in course.yml, and a course where there is none.

All is made in memory first and the new course.yml is read; then it is written, all of it or
nothing.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from autograder.course import (
    MANIFEST,
    assignment_folder,
    check_id,
    read_course,
    write_atomically,
)
from autograder.template.entry import ASSIGNMENTS, NoPlace, scalar, with_entry

_HERE = Path(__file__).parent
_EXAMPLE = _HERE / "assignment"
_COURSE = _HERE / "course"
_ENTRY = _HERE / "entry.yml"
_NAMES = {"gitignore": ".gitignore"}  # a file that would take effect where it lies


class NotMade(ValueError):
    """Nothing was made; says why, and what to do."""


@dataclass(frozen=True)
class New:
    """A new assignment, which nobody has written yet.

    files: the texts of its own, by path below its folder; manifest: that of course.yml. Where a
    course starts with it, course: the texts of the files around it; kept: those that are there
    already, each with the template's own.
    """

    root: Path
    name: str
    files: Mapping[str, str]
    manifest: str
    starts_course: bool
    course: Mapping[str, str]
    kept: Mapping[str, Path]

    @property
    def folder(self) -> Path:
        """The assignment's folder."""
        return assignment_folder(self.root, self.name)

    def write(self) -> None:
        """Write all of it; when that fails, nothing of it is left. Raises NotMade."""
        with ExitStack() as undo:
            try:
                self._write(undo.callback)
            except OSError as error:
                where = error.filename2 or error.filename or self.root
                raise NotMade(f"{where} cannot be written: {error.strerror}") from error
            undo.pop_all()

    def _write(self, undo: Callable[..., object]) -> None:
        solutions = self.folder.parent
        if not solutions.exists():
            solutions.mkdir()
            undo(_remove, solutions)
        fresh = Path(tempfile.mkdtemp(dir=solutions, prefix=f".{self.name}."))
        undo(shutil.rmtree, fresh, ignore_errors=True)
        _write_files(fresh, self.files)
        fresh.chmod(0o755)
        fresh.rename(self.folder)
        undo(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in self.course.items():
            undo((self.root / name).unlink, missing_ok=True)
            write_atomically(self.root / name, text)
        write_atomically((self.root / MANIFEST).resolve(), self.manifest)


def plan(root: Path, name: str, title: str | None = None, course_name: str | None = None) -> New:
    """A new assignment of the course in `root`, or of one that starts there. Writes nothing.

    title: the assignment's, made of its name by default; course_name: of a course that starts,
    made of the folder's by default. Raises NotMade, and ManifestError for a course.yml that is
    wrong already.
    """
    title = _said(name) if title is None else title
    starts = not (root / MANIFEST).exists()
    _refuse_odd(root, name, title, course_name, starts)
    course_name = course_name or _said(root.name) or "A course"
    words = {"assignment_name": name, "Assignment title": title, "Course name": course_name}
    words["course-id"] = re.sub("[^a-z0-9]+", "-", course_name.lower()).strip("-") or "course"
    in_yaml = {word: scalar(text) for word, text in words.items()}
    entry = _filled(_ENTRY.read_text(encoding="utf-8"), in_yaml)
    around = _read(_COURSE) if starts else {}
    first = _filled(around.pop(MANIFEST), in_yaml) if starts else None
    there = {path for path in around if (root / _name(path)).exists()}
    example = _read(_EXAMPLE)
    files = {_filled(path, words): _filled(text, words) for path, text in example.items()}
    if len(files) < len(example):
        said = f"{name}.py is another file of every assignment, and would take the place of"
        raise NotMade(f"{said} the notebook: take another name")
    return New(
        root,
        name,
        files,
        _manifest(root, first, name, entry),
        starts,
        {_name(path): _filled(around[path], words) for path in around if path not in there},
        {_name(path): _COURSE / path for path in around if path in there},
    )


def _name(path: str) -> str:
    return _NAMES.get(path, path)


def _refuse_odd(root: Path, name: str, title: str, course_name: str | None, starts: bool) -> None:
    try:
        check_id(name)
    except ValueError as error:
        raise NotMade(f"the name of an assignment {error}") from error
    for text in filter(None, (title, course_name)):
        if not text.strip() or not text.isprintable():
            raise NotMade(f"a title must be a line of text, got {text!r}")
    if not root.is_dir():
        raise NotMade(f"{root} is not a folder: make it first")
    if course_name is not None and not starts:
        raise NotMade(f"{root / MANIFEST} is there already, and has the course's name")
    folder = assignment_folder(root, name)
    for there in (folder, folder.with_suffix(".py")):  # of one name, Python would find one of them
        if os.path.lexists(there):
            raise NotMade(f"{there} exists already: take another name, or move it away")


def _manifest(root: Path, first: str | None, name: str, entry: str) -> str:
    """The text of course.yml with the entry; `first`: what a course starts with.

    It is read as it will be, and must say what it said before and the entry.
    """
    try:
        before = _text_of(root / MANIFEST) if first is None else first
        after = with_entry(before, name, entry)
    except NoPlace as error:
        raise NotMade(f"{MANIFEST}:{error.line}: {error}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        read_course(root)  # says what is wrong, and where
        raise
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / MANIFEST).write_text(after, encoding="utf-8", newline="")
        read_course(Path(folder))
    old, new = yaml.safe_load(before), yaml.safe_load(after)
    new[ASSIGNMENTS].pop(name)
    if new != old | {ASSIGNMENTS: old[ASSIGNMENTS] or {}}:
        raise NotMade(
            f"{MANIFEST} is written in a way that leaves no place for an entry: add it by hand"
        )
    return after


def _text_of(path: Path) -> str:
    with open(path, encoding="utf-8", newline="") as file:  # line ends as they are
        return file.read()


def _said(name: str) -> str:
    words = " ".join(re.split(r"[\W_]+", name)).strip()
    return words[:1].upper() + words[1:]


def _read(folder: Path) -> dict[str, str]:
    """The texts of a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _filled(text: str, words: Mapping[str, str]) -> str:
    """The text with the template's words replaced, all at once."""
    pattern = "|".join(map(re.escape, words))
    return re.sub(pattern, lambda found: words[found[0]], text)


def _remove(folder: Path) -> None:
    with suppress(OSError):  # somebody else has put something there
        folder.rmdir()


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
