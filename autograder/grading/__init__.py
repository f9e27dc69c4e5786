"""One submission to its result; a class of them."""

from autograder.grading.classroom import (
    HandedIn,
    Room,
    default_jobs,
    find_class,
    grade_class,
    graded,
)
from autograder.grading.cluster import (
    graded_on,
)
from autograder.grading.desk import (
    ClusterUnfit,
)
from autograder.grading.exam import (
    Exam,
    limits_of,
    prepare,
    remote_student,
)
from autograder.grading.forked import (
    ends_with_the_parent,
    start_forked,
)
from autograder.grading.garbage import (
    hardly_look_for_garbage,
)
from autograder.grading.held import (
    BeingGraded,
    held,
)
from autograder.grading.kept import (
    Move,
    accept,
    current,
    moves,
    outdated,
    settle,
    to_grade,
    waits,
)
from autograder.grading.submission import (
    grade,
)

__all__ = [
    "BeingGraded",
    "ClusterUnfit",
    "Exam",
    "HandedIn",
    "Move",
    "Room",
    "accept",
    "current",
    "default_jobs",
    "ends_with_the_parent",
    "find_class",
    "grade",
    "grade_class",
    "graded",
    "graded_on",
    "hardly_look_for_garbage",
    "held",
    "limits_of",
    "moves",
    "outdated",
    "prepare",
    "remote_student",
    "settle",
    "start_forked",
    "to_grade",
    "waits",
]
