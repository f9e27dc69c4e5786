"""Students' pages in a zip that Moodle hands out: the assignment, Upload multiple feedback files.

A folder a student, as in Moodle's download of submissions: Full Name_1234_assignsubmission_file_/.
As mod/assign/feedback/file/importziplib.php of moodle/moodle reads it: split at "_", the second
part is the participant's number in this assignment, the third and fourth name a plugin.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from autograder.export.formats.filling import Filled, students_of
from autograder.export.formats.gathering import Gathered
from autograder.export.formats.moodle import NAMES, read_worksheet
from autograder.export.formats.packing import packed

__all__ = ["fill", "write"]

_UNFIT = re.compile(
    r'[_/\\\\:*?"<>|\x00-\x1f]+|^[.~ ]+'
)  # in a name: it ends the name, or hides it


def write(gathered: Gathered) -> bytes:
    """The page of each student who has one, for who has this assignment's numbers in the roster."""
    numbers = {each.id: each.lms.get("moodle", "") for each in gathered.marks.students}
    return _zip(gathered, numbers)


def fill(gathered: Gathered, path: Path) -> Filled:
    """The same, with the numbers of Moodle's own grading worksheet."""
    sheet = read_worksheet(path)
    students = students_of(sheet, gathered.marks.students, NAMES)
    at = sheet.column("Identifier") or 0
    numbers = {
        student.id: row[at].rpartition(" ")[2]
        for row, student in zip(sheet.rows, students, strict=True)
        if student
    }
    missing = [each.name for each in gathered.marks.students if each.id not in numbers]
    return Filled(_zip(gathered, numbers), (), tuple(missing))


def _zip(gathered: Gathered, numbers: Mapping[str, str]) -> bytes:
    (assignment,), files = gathered.assignments, {}
    for student in gathered.marks.students:
        page = gathered.settings.feedback(student.id, assignment.id) / f"{assignment.id}.html"
        if student.id in numbers and page.is_file():
            name = _UNFIT.sub(" ", student.name).strip() or "Student"
            folder = f"{name}_{numbers[student.id]}_assignsubmission_file_"
            files[f"{folder}/{page.name}"] = page.read_bytes()
    return packed(files)
