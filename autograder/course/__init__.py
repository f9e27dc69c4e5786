"""The course as it is written down: manifest, roster and files, its secret, the result file."""

from autograder.course.answers import FILE as ANSWERS
from autograder.course.answers import Answer, read_answers
from autograder.course.assignment import Assignment, ByHand, Item
from autograder.course.content import (
    print_of,
    print_of_engine,
    print_of_files,
)
from autograder.course.dates import as_words, begun, counted, long
from autograder.course.entry import UnknownIdError
from autograder.course.extensions import (
    EXTENSIONS,
    Extensions,
    read_extensions,
)
from autograder.course.handout import Handout
from autograder.course.lateness import Behind, Due, Lateness, behind, lateness
from autograder.course.layout import (
    SOLUTIONS,
    assignment_folder,
    handed_out_path,
    samples_folder,
    source_path,
    state_folder,
)
from autograder.course.lines import FILE as MANIFEST
from autograder.course.lines import ManifestError, place
from autograder.course.manifest import Course, check_id, read_course
from autograder.course.moments import moment
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
from autograder.course.roster import ROSTER, Person, Roster, RosterError, in_two, read_roster
from autograder.course.secret import (
    PUBLIC,
    fingerprint,
    known_secret,
    read_secret,
    seed,
)
from autograder.course.text import text_of

__all__ = [
    "ANSWERS",
    "EXTENSIONS",
    "MANIFEST",
    "PUBLIC",
    "ROSTER",
    "SOLUTIONS",
    "Answer",
    "Assignment",
    "Behind",
    "ByHand",
    "Course",
    "Due",
    "Extensions",
    "Feedback",
    "Handout",
    "Item",
    "ItemResult",
    "Lateness",
    "ManifestError",
    "Mistake",
    "Person",
    "Place",
    "Result",
    "Roster",
    "RosterError",
    "SmallestExample",
    "UnknownIdError",
    "Verdict",
    "as_words",
    "assignment_folder",
    "begun",
    "behind",
    "check_id",
    "counted",
    "fingerprint",
    "handed_out_path",
    "in_two",
    "known_secret",
    "lateness",
    "long",
    "moment",
    "place",
    "print_of",
    "print_of_engine",
    "print_of_files",
    "read_answers",
    "read_course",
    "read_extensions",
    "read_roster",
    "read_secret",
    "samples_folder",
    "seed",
    "source_path",
    "state_folder",
    "text_of",
    "write_atomically",
]
