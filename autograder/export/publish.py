"""A graded class to everywhere its results go."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment, Course, Result
from autograder.export.dashboard import write_class_page
from autograder.export.feedback import write_feedback
from autograder.export.gradebook import record


@dataclass(frozen=True)
class Published:
    """Where the results are now."""

    gradebook: Path
    recorded: int  # students whose scores the gradebook holds
    feedback: Path
    class_page: Path


def publish(
    course: Course, assignment: Assignment, graded: Sequence[Result], folder: Path
) -> Published:
    """Record the scores in the course's gradebook, and write a page for each student and one for
    the class, the latter into `folder`. Raises GradebookError, with the pages written.
    """
    name = assignment.id
    feedback = course.root / "feedback"  # nbgrader's own place for it
    links = {}
    for result in graded:
        page = feedback / result.student / name / f"{name}.html"
        write_feedback(result, assignment, course.name, page)
        links[result.student] = os.path.relpath(page, folder)
    class_page = folder / f"{name}.html"
    write_class_page(graded, assignment, course.name, class_page, links)
    notebook = course.root / "assignments" / name / f"{name}.ipynb"
    gradebook = course.root / "gradebook.db"
    done = record(graded, assignment, notebook, f"sqlite:///{gradebook.resolve()}")
    return Published(gradebook, done.recorded, feedback, class_page)
