"""nbgrader's own road to the same grades: `nbgrader autograde` and the formgrader's button.

Theory of operation. nbgrader converts every submission twice: to a clean notebook in autograded/,
and then to one whose cells a kernel has run, from whose outputs it reads the scores. In
`nbgrader_config.py` we take the place of three parts of that. `Submissions` reads notebooks, and
what it hands on is always our release with the student's answers in it: flags, points, ids and
outputs of theirs never get further. It also grades what was handed in, before nbgrader touches it
(see arriving.py). `Grade` stands where a kernel would run and where scores are saved: it writes
each item's score and message as the output of its cell, and records them, all as `autograder
grade` does. All else (manual grades, feedback) is nbgrader's.

A submission without a score fails: nbgrader says so, keeps no autograded notebook, exits with 1,
and the gradebook asks for a person.
"""

import atexit
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.checking import ChecksBroken
from autograder.course import (
    ManifestError,
    Result,
    RosterError,
    UnknownIdError,
    read_course,
    read_roster,
    read_secret,
)
from autograder.export import (
    TIMESTAMP,
    GradebookError,
    SettingsError,
    back_up,
    enter_names,
    hand_in_time,
    read_cells,
    read_release,
    ready,
    rebuild,
    record,
    settings_of,
    unanswered,
    write_verdicts,
)
from autograder.export import HandedIn as AboutHandedIn
from autograder.grading import (
    HandedIn,
    Room,
    accept,
    current,
    held,
    limits_of,
    prepare,
    settle,
    to_grade,
)
from autograder.nbgrader.arriving import arrange
from autograder.notebooks import files_beside
from autograder.sandbox.host import Server, ServerFailed
from autograder.sandbox.walls import NoWalls, choose

__all__ = ["Grade", "NeedsStaff", "Submissions"]

# What staff can mend: it ends the run with a sentence, before anybody is graded.
_EXPECTED = (
    *(ManifestError, UnknownIdError, ChecksBroken, NoWalls, ServerFailed, GradebookError),
    *(SettingsError, RosterError, OSError, ValueError),
)


class NeedsStaff(Exception):
    """A submission has no score: it cannot be read, or the grader is to blame."""


class Desk:
    """What grading an assignment takes: its exam, and a server behind walls."""

    def __init__(self, root: Path, assignment_id: str) -> None:
        self.root = root
        self.course = read_course(root)
        wall, secret = choose(), read_secret(root)
        self.room = Room(self.course, assignment_id, root / "results", wall, secret)
        _ = self.room.origin  # before the exam: what changes between is graded again
        self.exam = prepare(self.course, assignment_id, secret)
        self.server = Server(wall, limits_of(self.exam.assignment))

    def grade(self, student: str, handed_in: Path) -> Result:
        """Grade what a student handed in, and leave the result file, which is the evidence.

        What is graded already is not graded again. Raises BeingGraded.
        """
        with held(self.room.results, self.room.assignment_id):
            if to_grade(self.room, [HandedIn(student, handed_in)]):
                settle(
                    self.room, self.room.origin.grade(student, handed_in, self.exam, self.server)
                )
            accept(self.room, [student])
            return current(self.room, student)


class _Desks:
    """One desk at a time: kept for a class, and from one click in the formgrader to the next."""

    def __init__(self) -> None:
        self._open: Desk | None = None
        self._of: object = None

    def desk(self, root: Path, assignment_id: str) -> Desk:
        """The open desk, when it is of this assignment and the course is what it was then."""
        files = (root / "course.yml", *sorted(root.glob("solutions/**/*")))
        of = (
            root,
            assignment_id,
            read_secret(root),
            [(each, each.stat().st_mtime_ns) for each in files],
        )
        if self._open is None or self._of != of:
            self.close()
            self._open, self._of = Desk(root, assignment_id), of
        return self._open

    def close(self) -> None:
        if self._open is not None:
            self._open.server.close()
            self._open = None


_desks = _Desks()
atexit.register(_desks.close)


class Submissions(NotebookExporter):  # type: ignore[misc] # nbconvert ships no types
    """Reads notebooks as our release with the student's answers in it."""

    def __init__(self, **kwargs: Any) -> None:
        """Open the desk and bring the assignment into the gradebook, once for a run."""
        super().__init__(**kwargs)
        self.coursedir = self.parent.coursedir
        root, name = Path(self.coursedir.root), self.coursedir.assignment_id
        self.release = root / "assignments" / name / f"{name}.ipynb"
        try:
            self.settings = settings_of(self.coursedir, self.parent.config)
            self.desk = _desks.desk(root, name)
            ready(self.settings, self.desk.course)
            self.roster = read_roster(root)
            back_up(self.settings.db_url)
            record([], self.desk.exam.assignment, self.release, self.settings.db_url)
            self._notebook = read_release(self.desk.exam.assignment, self.release)
        except _EXPECTED as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        # Of what was handed out along, it would copy all to everybody; pictures are to be seen.
        folder = self.release.parent
        given = [str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()]
        others = [each for each in given if not each.startswith("figures/")]
        self.parent.exclude_overwriting = {name: others}
        self.graded: dict[str, Result] = {}  # by student
        arrange(self.parent, self._grade)

    def _grade(self, student: str, handed_in: Path) -> None:
        """Grade a submission, before nbgrader touches it. Raises NeedsStaff."""
        result = self.desk.grade(student, handed_in)
        if result.needs_staff:
            assignment = self.desk.exam.assignment
            with Gradebook(self.settings.db_url) as gradebook:  # so that it asks for a person
                gradebook.update_or_create_student(student)
                gradebook.update_or_create_submission(assignment.id, student)
            self.keep(result, {})
            found = {item.message: None for item in result.items if item.score is None}
            why = "; ".join(map(str, found))
            raise NeedsStaff(f"{assignment.id} of {student} has no score: {why}")
        self.graded[student] = result

    def keep(self, result: Result, about: dict[str, AboutHandedIn]) -> None:
        """Record a result, and whose it is."""
        assignment, db_url = self.desk.exam.assignment, self.settings.db_url
        record([result], assignment, self.release, db_url, about, self.settings)
        enter_names(self.roster, db_url, result.student)

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Read a notebook: the one handed in, or what has become of it in autograded/."""
        path = Path(filename)
        notebook = rebuild(self._notebook, read_cells(path))
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources["outputs"] = self._beside(resources["nbgrader"])
        found: tuple[str, Any] = self.from_notebook_node(notebook, resources, **kwargs)
        return found

    def _beside(self, about: dict[str, str]) -> dict[str, bytes]:
        """What was handed in to lie beside the notebook, and does not yet."""
        of = about["student"], about["assignment"]
        there, ignore = self.settings.autograded(*of), self.coursedir.ignore
        submitted = self.settings.submitted(*of)
        files = dict(files_beside(submitted, ignore))
        if hand_in_time(submitted).problem and TIMESTAMP in files:
            files[TIMESTAMP] = b""  # nbgrader would end a later run over it
        return {name: data for name, data in files.items() if not (there / name).exists()}


class Grade(NbGraderPreprocessor):  # type: ignore[misc]
    """Stands for a kernel's run; what `--no-execute` switches off is not this."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Write each item's score and message into its cell, and record them."""
        student, name = resources["nbgrader"]["student"], resources["nbgrader"]["assignment"]
        exporter: Submissions = self.parent
        settings, assignment = exporter.settings, exporter.desk.exam.assignment
        submitted = settings.submitted(student, name)
        result = exporter.graded[student]
        time = hand_in_time(submitted)
        if time.problem:
            self.log.warning("%s: %s", student, time.problem)
        exporter.keep(result, {student: AboutHandedIn(time, unanswered(nb))})
        write_verdicts(nb, result, assignment)
        return nb, resources
