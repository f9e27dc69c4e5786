"""What nbgrader is let near of what was handed in: the class, and the files beside a notebook.

nbgrader follows links, copies whatever lies beside a notebook, whatever its size, and ends a run
over a folder's name or a time that cannot be read. So the class is found as `autograder grade`
finds it, each submission is graded before nbgrader touches it, and who has no score is not
converted at all.
"""

import glob
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from autograder.export import hand_in_time
from autograder.grading import find_class

__all__ = ["arrange"]


def arrange(converter: Any, grade: Callable[[str, Path], None]) -> None:
    """Let nbgrader's converter see our class, and call `grade` before it touches a submission.

    What `grade` raises keeps that submission from being converted.
    """
    coursedir = converter.coursedir
    name = coursedir.assignment_id
    submitted = Path(coursedir.format_path(coursedir.submitted_directory, "student", name))
    class_ = {
        each.student: each
        for each in find_class(submitted.parents[1], name)
        if fnmatchcase(each.student, coursedir.student_id)
    }
    folders = {student: converter._format_source(name, student) for student in class_}
    converter.assignments = {folder: [f"{folder}/{name}.ipynb"] for folder in folders.values()}
    set_out, copy = converter.init_destination, converter.init_assignment

    def init_destination(assignment_id: str, student_id: str) -> bool:
        if not set_out(assignment_id, student_id):
            return False
        grade(student_id, class_[student_id].path)
        return True

    def init_assignment(assignment_id: str, student_id: str) -> None:
        ignore = coursedir.ignore
        coursedir.ignore = [*ignore, glob.escape(folders[student_id])]  # see files_beside
        try:
            copy(assignment_id, student_id)
        finally:
            coursedir.ignore = ignore

    converter.init_destination, converter.init_assignment = init_destination, init_assignment
    # Its own reader ends the run over what is no time.
    coursedir.get_existing_timestamp = lambda folder: hand_in_time(Path(folder)).at
