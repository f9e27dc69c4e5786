"""A graded class to everywhere its results go."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, Course, Result
from autograder.export.autograded import write_autograded
from autograder.export.cells import read_release
from autograder.export.dashboard import write_class_page
from autograder.export.feedback import write_feedback
from autograder.export.gradebook import record
from autograder.export.settings import Settings


@dataclass(frozen=True)
class Published:
    """Where the results are now."""

    gradebook: str  # its address
    recorded: int  # students whose scores the gradebook holds
    feedback: Path  # of a student who is called STUDENT
    class_page: Path


def publish(
    course: Course,
    assignment: Assignment,
    graded: Sequence[Result],
    folder: Path,
    settings: Settings,
    submitted: dict[str, Path],
) -> Published:
    """Record the scores in nbgrader's gradebook, leave the submissions where the formgrader looks
    for them, and write a page for each student and one for the class, the latter into `folder`.

    submitted: what each student handed in, a folder. Raises GradebookError and SettingsError.
    """
    name = assignment.id
    notebook = course.root / "assignments" / name / f"{name}.ipynb"
    release, figures = read_release(assignment, notebook), sorted(notebook.parent.glob("figures/*"))
    handed_in = {
        result.student: write_autograded(
            result, assignment, release, figures, submitted[result.student], settings
        )
        for result in graded
    }
    done = record(graded, assignment, notebook, settings.db_url, handed_in, settings.penalty)
    links = {}
    for result in graded:
        back = settings.feedback(result.student, name)
        write_feedback(result, assignment, course.name, back / f"{name}.html")
        for each in ("timestamp.txt", "submission_secret.txt"):  # for `nbgrader release_feedback`
            path = submitted[result.student] / each
            if path.is_file() and not path.is_symlink():
                shutil.copyfile(path, back / each)
        links[result.student] = os.path.relpath(back / f"{name}.html", folder)
    class_page = folder / f"{name}.html"
    write_class_page(graded, assignment, course.name, class_page, links)
    feedback = settings.feedback("STUDENT", name)
    return Published(settings.db_url, done.recorded, feedback, class_page)
