"""The roster: roster.csv beside course.yml, who is in the class.

Read with our own columns (`id`, and any of `first_name`, `last_name`, `name`, `email`, `section`,
`canvas`, `moodle`, `gradescope`, `sis`, `login`, `github`), or as these systems export it:

- Canvas's gradebook, which has rows that are no students (lib/gradebook_exporter.rb of
  instructure/canvas-lms), and the Class Roster report of its New Analytics;
- Moodle's grading worksheet, whose Identifier is a "Participant" of one assignment
  (mod/assign/gradingtable.php), and its list of participants;
- Gradescope's roster (help.gradescope.com, "Adding Students and Staff");
- GitHub Classroom's roster.

Of several columns that may name a student the first that is filled is the id: the folder below
submitted/, and the name in the gradebook.
"""

import csv
import difflib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

__all__ = ["ROSTER", "Person", "Roster", "RosterError", "read_roster"]

ROSTER = "roster.csv"
_OWN = ("first_name", "last_name", "name", "email", "section")
_LMS = ("canvas", "moodle", "gradescope", "sis", "login", "github")
# No folder, gradebook or page could bear it: see nbgrader's exchange and our reader's names.
_UNFIT = re.compile(r'^\.|[/\\<>\[\]*?"|:]|~[0-9a-f]{8}$')
_MAX_ID_BYTES = 200
# Canvas's own, in a gradebook: its test student, and above the students what the columns are worth.
_NO_STUDENTS = ("", "points possible", "student, test")


class RosterError(Exception):
    """What is wrong with roster.csv: all of it, one problem a line."""


@dataclass(frozen=True)
class Person:
    """Somebody of the class; what the roster does not say is empty.

    lms: the id that a system has for this student, under "canvas", "moodle", "gradescope"; under
    "sis" and "login" what a school's own files call them, and their "github" name.
    """

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    section: str = ""
    lms: Mapping[str, str] = field(default_factory=dict)
    full_name: str = ""

    @property
    def name(self) -> str:
        """The whole name; the id where the roster gives none."""
        return self.full_name or f"{self.first_name} {self.last_name}".strip() or self.id


def in_two(name: str) -> tuple[str, str]:
    """The first names and the last name of a whole name, for what knows names in two parts only."""
    first, _, last = name.rpartition(" ")
    return first, last


@dataclass(frozen=True)
class Roster:
    """The class, in the order of the file; empty where there is no file."""

    people: Mapping[str, Person] = field(default_factory=dict)

    def name_of(self, student: str) -> str:
        """The name of the student with this id; the id where there is none."""
        return self.people[student].name if student in self.people else student

    def called(self, student: str) -> str:
        """The name, and the id where that is not the same."""
        name = self.name_of(student)
        return name if name == student else f"{name} ({student})"


@dataclass(frozen=True)
class _Format:
    """A kind of file: the columns it is known by, those that name a student, and the others."""

    kind: str
    known_by: tuple[str, ...]
    ids: tuple[str, ...]
    fields: Mapping[str, str]
    all_known: bool = False  # a column that is not among them is a mistake


# Columns without regard to case, "_" as a space. The first format that fits is taken.
_FORMATS = (
    _Format(
        "Canvas's gradebook",
        ("id", "sis login id"),
        ("sis login id", "sis user id", "id"),
        {"student": "sorted_name", "lastname": "last_name", "firstname": "first_name"}
        | {"id": "canvas", "sis user id": "sis", "sis login id": "login", "section": "section"},
    ),
    _Format(
        "Canvas's class roster",
        ("student name", "student id"),
        ("student sis id", "student id"),
        {"student name": "name", "student id": "canvas", "student sis id": "sis"}
        | {"email": "email", "section name": "section"},
    ),
    _Format(
        "Moodle's grading worksheet",
        ("identifier", "full name"),
        ("username", "id number", "email address"),
        {"identifier": "participant", "full name": "name", "email address": "email"}
        | {"id number": "sis", "username": "login", "group": "section"},
    ),
    _Format(
        "GitHub Classroom's roster",
        ("identifier", "github username"),
        ("identifier",),
        {"name": "name", "github username": "github"},
    ),
    _Format(
        "Moodle's participants",
        ("first name", "email address"),
        ("username", "id number", "email address"),
        {"first name": "first_name", "last name": "last_name", "surname": "last_name"}
        | {"email address": "email", "groups": "section", "id number": "sis", "username": "login"},
    ),
    _Format(
        "Gradescope's roster",
        ("sid", "email"),
        ("sid", "email"),
        {"first name": "first_name", "last name": "last_name", "name": "name"}
        | {"email": "email", "sid": "gradescope", "section": "section"},
    ),
    _Format(
        "our own columns",
        ("id",),
        ("id",),
        {each.replace("_", " "): each for each in (*_OWN, *_LMS)},
        all_known=True,
    ),
)


def read_roster(course_folder: Path) -> Roster:
    """Read roster.csv in this folder; an empty roster where there is none.

    Raises RosterError with all that is wrong in it, each problem with its line.
    """
    path = course_folder / ROSTER
    if not path.exists():
        return Roster()
    problems: list[tuple[int, str]] = []
    rows = _rows(path)
    line, columns = next(rows, (1, []))
    names = [each.casefold().replace("_", " ") for each in columns]
    export = _format(names, line, columns)
    problems += _of_columns(names, columns, export, line)
    found: list[tuple[int, Person]] = []
    for line, cells in rows:
        if any(cells[len(names) :]):
            problems.append((line, f"has {len(cells)} cells, more than the {len(names)} columns"))
        row = dict(zip(names, cells, strict=False))
        if _is_student(row, export):
            person = _person(row, export)
            problems += ((line, problem) for problem in _of_id(person.id, export))
            found.append((line, person))
    problems += _twice(found)
    if problems:
        told = (f"{ROSTER}:{line}: {problem}" for line, problem in sorted(problems))
        raise RosterError("\n".join(told))
    return Roster(MappingProxyType({person.id: person for _, person in found}))


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines on which rows begin, and their cells; rows without any are left out."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RosterError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        text = raw.decode("utf-8-sig")  # with a byte order mark or without, as Excel likes it
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RosterError(
            f"{ROSTER}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8: save it again as "
            '"CSV UTF-8"'
        ) from error
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)  # a comma where there is none of them
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 0
    try:
        for cells in reader:
            line, begins = reader.line_num, line + 1
            cells = [each.strip() for each in cells]
            if any(cells):
                yield begins, cells
    except csv.Error as error:
        raise RosterError(f"{ROSTER}:{line + 1}: cannot be read as CSV: {error}") from error


def _format(names: list[str], line: int, columns: list[str]) -> _Format:
    for each in _FORMATS:
        if {*each.known_by} <= {*names}:
            return each
    known = ", ".join(each.kind for each in _FORMATS[:-1])
    raise RosterError(
        f"{ROSTER}:{line}: there is no column id, and the columns are those of none of these: "
        f"{known}; got {', '.join(columns) or 'nothing'}"
    )


def _of_columns(
    names: list[str], columns: list[str], export: _Format, line: int
) -> Iterator[tuple[int, str]]:
    known = [*export.known_by, *export.ids, *export.fields]
    for name, column in zip(names, columns, strict=True):
        if names.count(name) > 1 and name in known:
            yield line, f"the column {column!r} stands twice"
        if export.all_known and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            guess = f"; did you mean {close[0].replace(' ', '_')}?" if close else ""
            own = ", ".join(("id", *_OWN, *_LMS))
            yield line, f"{column!r} is not a known column{guess} (known: {own})"


def _is_student(row: Mapping[str, str], export: _Format) -> bool:
    """Whether a row of an export is about a student, and not about columns or staff."""
    if export.kind == "Canvas's gradebook":
        apart = f"{row.get('lastname', '')}, {row.get('firstname', '')}".strip(", ")
        return row.get("student", apart).casefold() not in _NO_STUDENTS
    if export.kind == "Gradescope's roster":
        return row.get("role", "").casefold() in ("", "student")
    if export.kind == "Moodle's participants":
        return "student" in row.get("roles", "student").casefold()
    return True


def _person(row: Mapping[str, str], export: _Format) -> Person:
    said = {field: row[column] for column, field in export.fields.items() if column in row}
    if "," in (name := said.pop("sorted_name", "")):
        said["last_name"], _, said["first_name"] = map(str.strip, name.partition(","))
    elif name:
        said["name"] = name
    if number := re.search(r"\d+$", said.pop("participant", "")):
        said["moodle"] = number[0]
    # Names are students' words, and are printed: in one line, and without what steers a terminal.
    for each in _OWN:
        words = " ".join(said.get(each, "").split())
        said[each] = "".join(sign if sign.isprintable() else "\ufffd" for sign in words)
    return Person(
        id=next((row[each] for each in export.ids if row.get(each)), ""),
        first_name=said["first_name"],
        last_name=said["last_name"],
        email=said["email"],
        section=said["section"],
        lms=MappingProxyType({each: said[each] for each in _LMS if said.get(each)}),
        full_name=said["name"],
    )


def _of_id(id: str, export: _Format) -> Iterator[str]:
    if not id:
        yield f"the id is empty (column {' or '.join(export.ids)})"
    elif _UNFIT.search(id) or not id.isprintable() or len(id.encode()) > _MAX_ID_BYTES:
        yield f"the id {id[:60]!r} cannot be the name of a folder"


def _twice(found: list[tuple[int, Person]]) -> Iterator[tuple[int, str]]:
    """What two people have in common that nobody may have twice; ids without regard to case."""
    first: dict[tuple[str, str], int] = {}
    for line, person in found:
        theirs = {"id": person.id, "email": person.email, **person.lms}
        for what, value in theirs.items():
            there = first.setdefault((what, value.casefold()), line) if value else line
            if there != line and not (what != "id" and value == person.id):
                yield line, f"the {what} {value!r} stands twice, first on line {there}"
