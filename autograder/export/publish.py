"""A graded class to everywhere its results go."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, Course, Result
from autograder.export.autograded import write_autograded
from autograder.export.cells import read_release
from autograder.export.dashboard import write_class_page
from autograder.export.feedback import write_feedback
from autograder.export.gradebook import record
from autograder.export.made import Made
from autograder.export.settings import Settings
from autograder.export.standing import says, standings

__all__ = ["Published", "publish", "write_pages"]


@dataclass(frozen=True)
class Published:
    """Where the pages are."""

    feedback: Path  # of a student who is called STUDENT
    class_page: Path
    students: int  # on the class page
    new: int  # whose scores and pages were written; those of the others were as they should be


def publish(
    course: Course,
    assignment: Assignment,
    folder: Path,
    submitted: Mapping[str, Path],
    settings: Settings,
    *,
    all_of_them: bool = False,
) -> Published:
    """Record scores in nbgrader's gradebook, leave what the formgrader shows, write the pages.

    submitted: what each student handed in, a folder; their results lie in `folder`. What is there
    already, as it would be written, is left alone, unless all of them are asked for. Raises
    GradebookError and SettingsError.
    """
    name = assignment.id
    made, said = Made(course, assignment, folder, settings), says(name, settings.db_url)
    new = [
        student
        for student, path in submitted.items()
        if all_of_them or not made.stands(student, path, said.get(student, ""))
    ]
    if new or not made.class_stands(said):
        made.forget(new)
        chosen = {each: submitted[each] for each in new}
        _record(course, assignment, folder, chosen, settings)
        published = write_pages(course, assignment, folder, settings, new)
        made.remember(chosen, says(name, settings.db_url))
        return published
    return _published(assignment, folder, settings, ())


def _record(
    course: Course,
    assignment: Assignment,
    folder: Path,
    submitted: Mapping[str, Path],
    settings: Settings,
) -> None:
    """Bring these students' results into the gradebook, and to where the formgrader looks."""
    name = assignment.id
    notebook = course.root / "assignments" / name / f"{name}.ipynb"
    release, figures = read_release(assignment, notebook), sorted(notebook.parent.glob("figures/*"))
    handed_in = {
        student: write_autograded(
            Result.read(folder / name / f"{student}.json"),
            assignment,
            release,
            figures,
            path,
            settings,
        )
        for student, path in submitted.items()
    }
    results = (Result.read(folder / name / f"{each}.json") for each in submitted)
    record(results, assignment, notebook, settings.db_url, handed_in, settings.penalty)


def write_pages(
    course: Course,
    assignment: Assignment,
    folder: Path,
    settings: Settings,
    students: Sequence[str] | None = None,
) -> Published:
    """Write the page of each student, or of these, and that of the class, into `folder`.

    They show what lies in `folder` and what the gradebook says: what people gave, what late work
    costs. Raises GradebookError, and ValueError for a file in `folder` that is no result.
    """
    name = assignment.id
    results = [Result.read(path) for path in sorted((folder / name).glob("*.json"))]
    stand = standings(name, settings.db_url)
    links = {}
    for result in results:
        back = settings.feedback(result.student, name)
        page = back / f"{name}.html"
        if students is None or result.student in students:
            _remove_drafts(page)
            how = stand.get(result.student)
            write_feedback(result, assignment, course.name, page, how)
            for each in ("timestamp.txt", "submission_secret.txt"):  # `nbgrader release_feedback`
                path = settings.autograded(result.student, name) / each
                if path.is_file():
                    shutil.copyfile(path, back / each)
        if page.exists():
            links[result.student] = os.path.relpath(page, folder)
    class_page = folder / f"{name}.html"
    _remove_drafts(class_page)
    write_class_page(results, assignment, course.name, class_page, links, stand)
    return _published(assignment, folder, settings, students)


def _published(
    assignment: Assignment, folder: Path, settings: Settings, new: Sequence[str] | None
) -> Published:
    everybody = len(list((folder / assignment.id).glob("*.json")))
    return Published(
        settings.feedback("STUDENT", assignment.id),
        folder / f"{assignment.id}.html",
        everybody,
        everybody if new is None else len(new),
    )


def _remove_drafts(page: Path) -> None:
    """Remove what a run that was killed has left of writing a page."""
    for each in page.parent.glob(f".{page.name}.*.draft"):
        each.unlink(missing_ok=True)
