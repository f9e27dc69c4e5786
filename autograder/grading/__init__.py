"""One submission to its result; a class of them."""

from autograder.grading.classroom import (
    HandedIn,
    Room,
    default_jobs,
    find_class,
    grade_class,
)
from autograder.grading.exam import (
    Exam,
    limits_of,
    prepare,
    remote_student,
)
from autograder.grading.submission import (
    grade,
)

__all__ = [
    "Exam",
    "HandedIn",
    "Room",
    "default_jobs",
    "find_class",
    "grade",
    "grade_class",
    "limits_of",
    "prepare",
    "remote_student",
]
