"""What nbgrader is let near of what was handed in: the class, and the files beside a notebook.

nbgrader follows links, copies whatever lies beside a notebook, whatever its size, and ends a run
over a folder's name or a time that cannot be read. So the class is found as `autograder grade`
finds it, each submission is graded before nbgrader touches it, and who has no score is not
converted at all.
"""

import glob
import os
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from autograder.grading import find_class

__all__ = ["arrange"]

_TIME = "timestamp.txt"  # nbgrader's own, where its exchange was used


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
        _refuse_no_time(class_[student_id].path / _TIME)
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


def _refuse_no_time(path: Path) -> None:
    """Raise ValueError for a time of handing in that nbgrader would end the run over."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 1_000:
        raise ValueError(f"{path} is no plain file with the time of handing in: remove it")
    try:
        if said := path.read_text().strip():
            parse_utc(said)
    except ValueError as error:
        raise ValueError(f"{path} holds no time of handing in: mend or remove it") from error
