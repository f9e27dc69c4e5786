"""A graded class to everywhere its results go."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, Course, Result, read_roster
from autograder.export.autograded import write_autograded
from autograder.export.backup import ready
from autograder.export.cells import read_release
from autograder.export.dashboard import write_class_page
from autograder.export.feedback import write_feedback
from autograder.export.gradebook import record
from autograder.export.named import enter_names
from autograder.export.people import everybody, people_of
from autograder.export.released import write_for_release
from autograder.export.settings import Settings
from autograder.export.standing import standings
from autograder.export.waiting import waiting
from autograder.notebooks import has_handed_in

__all__ = ["Published", "publish", "write_pages"]


@dataclass(frozen=True)
class Published:
    """Where the pages are."""

    feedback: Path  # of a student who is called STUDENT
    class_page: Path
    students: int  # on the class page
    waiting: Mapping[str, list[str]]  # students of whom a part is still to be read, by the part


def publish(
    course: Course,
    assignment: Assignment,
    graded: Sequence[Result],
    settings: Settings,
    submitted: Mapping[str, Path],
) -> int:
    """Record scores in nbgrader's gradebook, and leave what the formgrader shows of a submission.

    submitted: what each student handed in, a folder. Returns of how many the gradebook holds the
    scores. Raises GradebookError and SettingsError.
    """
    name = assignment.id
    ready(settings, course)
    notebook = course.root / "assignments" / name / f"{name}.ipynb"
    release, figures = read_release(assignment, notebook), sorted(notebook.parent.glob("figures/*"))
    handed_in = {
        each.student: write_autograded(
            each, assignment, release, figures, submitted[each.student], settings
        )
        for each in graded
    }
    done = record(graded, assignment, notebook, settings.db_url, handed_in, settings)
    enter_names(read_roster(course.root), settings.db_url)
    return done.recorded


def write_pages(
    course: Course,
    assignment: Assignment,
    folder: Path,
    settings: Settings,
    students: Sequence[str] | None = None,
) -> Published:
    """Write the page of each student, or of these, and that of the class, into `folder`.

    They show what lies in `folder` and what the gradebook says: what people gave, what late work
    costs; names are the roster's. Raises GradebookError, RosterError, and ValueError for a file in
    `folder` that is no result.
    """
    name = assignment.id
    results = [Result.read(path) for path in sorted((folder / name).glob("*.json"))]
    stand = standings(assignment, settings)
    links, roster = {}, read_roster(course.root)
    for result in results:
        page = settings.feedback(result.student, name) / f"{name}.html"
        if students is None or result.student in students:
            how = stand.get(result.student)
            who = roster.name_of(result.student)
            write_feedback(result, assignment, course.name, page, how, who)
            of = result.student, name
            write_for_release(page, settings.autograded(*of), settings.submitted(*of))
        if page.exists():
            links[result.student] = os.path.relpath(page, folder)
    class_page = folder / f"{name}.html"
    known = (student for each in course.assignments for student in people_of(folder, each.id))
    people = everybody(course.root, known)
    ungraded = {
        student
        for student in people.keys() - {result.student for result in results}
        if has_handed_in(settings.submitted(student, name).parent, name)
    }
    write_class_page(results, assignment, course.name, class_page, links, stand, people, ungraded)
    feedback = settings.feedback("STUDENT", name)
    return Published(feedback, class_page, len(results), waiting(assignment, stand))
