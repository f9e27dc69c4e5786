"""The course as it is written down: its manifest and files, its secret, the result file."""

from autograder.course.content import (
    print_of,
    print_of_engine,
    print_of_files,
)
from autograder.course.layout import (
    SOLUTIONS,
    assignment_folder,
    samples_folder,
    source_path,
    state_folder,
)
from autograder.course.lines import FILE as MANIFEST
from autograder.course.lines import ManifestError, place
from autograder.course.manifest import (
    Assignment,
    Course,
    Item,
    UnknownIdError,
    check_id,
    read_course,
)
from autograder.course.result import (
    Feedback,
    ItemResult,
    Mistake,
    Place,
    Result,
    SmallestExample,
    Verdict,
    write_atomically,
)
from autograder.course.secret import (
    PUBLIC,
    fingerprint,
    known_secret,
    read_secret,
    seed,
)

__all__ = [
    "MANIFEST",
    "PUBLIC",
    "SOLUTIONS",
    "Assignment",
    "Course",
    "Feedback",
    "Item",
    "ItemResult",
    "ManifestError",
    "Mistake",
    "Place",
    "Result",
    "SmallestExample",
    "UnknownIdError",
    "Verdict",
    "assignment_folder",
    "check_id",
    "fingerprint",
    "known_secret",
    "place",
    "print_of",
    "print_of_engine",
    "print_of_files",
    "read_course",
    "read_secret",
    "samples_folder",
    "seed",
    "source_path",
    "state_folder",
    "write_atomically",
]
