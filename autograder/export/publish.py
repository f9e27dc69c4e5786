"""A graded class to everywhere its results go."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import markupsafe

from autograder.course import Assignment, Course, Result, read_answers, read_roster
from autograder.export.autograded import write_autograded
from autograder.export.backup import back_up, ready
from autograder.export.brief import read_in_brief
from autograder.export.cells import read_release
from autograder.export.dashboard import write_class_page
from autograder.export.feedback import write_feedback
from autograder.export.gradebook import HandedIn, record
from autograder.export.made import Made
from autograder.export.named import enter_names
from autograder.export.people import Who, everybody, people_of
from autograder.export.released import write_for_release
from autograder.export.settings import Settings
from autograder.export.several import by_several
from autograder.export.standing import says, standings
from autograder.export.tally import not_graded
from autograder.export.waiting import waiting

__all__ = ["Published", "outdated_of_time", "publish", "write_pages"]

_TIME = re.compile(r'<p [^>]*id="time">(.*)</p>')  # what a page tells of late work


@dataclass(frozen=True)
class Published:
    """Where the pages are."""

    feedback: Path  # of a student who is called STUDENT
    class_page: Path
    students: int  # on the class page
    waiting: Mapping[str, list[str]]  # students of whom a part is still to be read, by the part
    new: int  # whose scores and pages were written; those of the others were as they should be


def publish(
    course: Course,
    assignment: Assignment,
    folder: Path,
    submitted: Mapping[str, Path],
    settings: Settings,
    *,
    all_of_them: bool = False,
    jobs: int = 1,
) -> Published:
    """Record scores in nbgrader's gradebook, leave what the formgrader shows, write the pages.

    submitted: what each student handed in, a folder; their results lie in `folder`. What is there
    already, as it would be written, is left alone, unless all of them are asked for. jobs: how many
    processes write. Raises GradebookError, RosterError and SettingsError.
    """
    ready(settings, course)
    made, said = Made(course, assignment, folder, settings), says(assignment.id, settings.db_url)
    new = [
        student
        for student, path in submitted.items()
        if all_of_them or not made.stands(student, path, said.get(student, ""))
    ]
    class_ = _class(course, assignment, folder, settings)
    ungraded = class_.ungraded
    if new:
        back_up(settings.db_url)
    if new or not made.class_stands(said, ungraded):
        made.forget(new)
        chosen = {each: submitted[each] for each in new}
        _record(course, assignment, folder, chosen, settings, jobs)
        published = _write_pages(course, assignment, folder, settings, class_, new, jobs)
        made.remember(chosen, says(assignment.id, settings.db_url), ungraded)
        return published
    graded = people_of(folder, assignment.id)
    stand = standings(assignment, settings) if assignment.manual else {}
    return Published(
        settings.feedback("STUDENT", assignment.id),
        folder / f"{assignment.id}.html",
        len(graded),
        waiting(assignment, stand),
        new=0,
    )


def _record(
    course: Course,
    assignment: Assignment,
    folder: Path,
    submitted: Mapping[str, Path],
    settings: Settings,
    jobs: int,
) -> None:
    """Bring these students' results into the gradebook, and to where the formgrader looks."""
    name = assignment.id
    notebook = course.root / "assignments" / name / f"{name}.ipynb"
    release, figures = read_release(assignment, notebook), sorted(notebook.parent.glob("figures/*"))

    def read(student: str) -> Result:
        return Result.read(folder / name / f"{student}.json")

    def leave(student: str) -> HandedIn:
        return write_autograded(
            read(student), assignment, release, figures, submitted[student], settings
        )

    handed_in: dict[str, HandedIn] = {}

    def left(each: Iterator[HandedIn]) -> Iterator[Result]:
        for student in submitted:
            handed_in[student] = next(each)
            yield read(student)

    with by_several(leave, list(submitted), jobs) as each:
        record(left(each), assignment, notebook, settings.db_url, handed_in, settings)
    enter_names(read_roster(course.root), settings.db_url)


def write_pages(
    course: Course,
    assignment: Assignment,
    folder: Path,
    settings: Settings,
    students: Sequence[str] | None = None,
    jobs: int = 1,
) -> Published:
    """Write the page of each student, or of these, and that of the class, into `folder`.

    They show what lies in `folder` and what the gradebook says: what people gave, what late work
    costs; names are the roster's. Raises GradebookError, RosterError, and ValueError for a file in
    `folder` that is no result.
    """
    class_ = _class(course, assignment, folder, settings)
    return _write_pages(course, assignment, folder, settings, class_, students, jobs)


def outdated_of_time(assignment: Assignment, folder: Path, settings: Settings) -> list[str]:
    """Whose pages tell of late work as it was, before other assignments used up late days.

    Raises GradebookError.
    """
    stand, name, found = standings(assignment, settings), assignment.id, []
    for student in stand.keys() & set(people_of(folder, name)):
        page = settings.feedback(student, name) / f"{name}.html"
        told = _TIME.search(page.read_text(encoding="utf-8")) if page.exists() else None
        if told and told[1] != markupsafe.escape(stand[student].about_time):
            found.append(student)
    return sorted(found)


def _write_pages(
    course: Course,
    assignment: Assignment,
    folder: Path,
    settings: Settings,
    class_: "_Class",
    students: Sequence[str] | None = None,
    jobs: int = 1,
) -> Published:
    """The same; students: those whose pages are written, None for all."""
    name = assignment.id
    graded = people_of(folder, name)
    stand, roster = standings(assignment, settings), read_roster(course.root)
    answers = read_answers(course.root, name) if assignment.answers != "never" else ()

    def page_of(student: str) -> Path:
        return settings.feedback(student, name) / f"{name}.html"

    def write(student: str) -> None:
        result = Result.read(folder / name / f"{student}.json")
        page, of = page_of(result.student), (result.student, name)
        _remove_drafts(page)
        how, who = stand.get(result.student), roster.name_of(result.student)
        write_feedback(result, assignment, course.name, page, how, who, answers)
        write_for_release(page, settings.autograded(*of), settings.submitted(*of))

    with by_several(write, graded if students is None else students, jobs) as pages:
        results = list(read_in_brief(folder / name, graded))
        for _ in pages:
            pass
    there = (each.student for each in results if page_of(each.student).exists())
    links = {student: os.path.relpath(page_of(student), folder) for student in there}
    class_page = folder / f"{name}.html"
    _remove_drafts(class_page)
    write_class_page(results, assignment, course.name, class_page, links, stand, *class_)
    return Published(
        settings.feedback("STUDENT", name),
        class_page,
        len(results),
        waiting(assignment, stand),
        new=len(results) if students is None else len(students),
    )


class _Class(NamedTuple):
    """Everybody of the course, and who of them has handed this in and has no result."""

    people: dict[str, Who]
    ungraded: set[str]


def _class(course: Course, assignment: Assignment, folder: Path, settings: Settings) -> _Class:
    known = (student for each in course.assignments for student in people_of(folder, each.id))
    people = everybody(course.root, known)
    graded = people_of(folder, assignment.id)
    return _Class(people, not_graded(assignment.id, people, graded, settings))


def _remove_drafts(page: Path) -> None:
    """Remove what a run that was killed has left of writing a page."""
    for each in page.parent.glob(f".{page.name}.*.draft"):
        each.unlink(missing_ok=True)
