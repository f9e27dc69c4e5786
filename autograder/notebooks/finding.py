"""Where submissions lie: no link is followed, no name is believed, and no look takes long.

A folder of submissions holds what strangers put there. What a person would sort out in a minute
(a zip, a folder in the folder, two notebooks, a name that no file of ours can bear) is neither
guessed at nor a zero: it is refused with a sentence that says what was found and what to do, and
waits for that person.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from autograder.sandbox import wire

_MAX_NAMES = 1_000  # looked at in a folder
_MAX_DEPTH = 3  # of folders looked into for a notebook that lies too deep
_TOLD = 5
_MAX_NAME_BYTES = 200  # with what we put around it, a file name has 255
_MARKUP = re.compile(r"[<>\[\]\n\t]")
_MADE_UP = re.compile(r"~[0-9a-f]{8}$")


class UnreadableSubmission(Exception):
    """It cannot be graded as it was handed in; the sentence says what was found, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(wire.text(message, 1000))  # it may quote a name, or a file


def student_name(folder: str) -> str:
    """The name of a student's folder; where no page or file could bear it, one made of it."""
    plain = _MARKUP.sub("_", wire.text(folder, 40).replace("\ufffd", "_"))
    fits = folder.isprintable() and len(folder.encode()) <= _MAX_NAME_BYTES
    if fits and not _MARKUP.search(folder) and not _MADE_UP.search(folder):
        return folder
    return f"{plain}~{hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]}"


def has_handed_in(student: Path, assignment_id: str) -> bool:
    """Whether something of this assignment lies in a student's folder, or may lie there.

    What cannot be looked at may; so may what a link leads to.
    """
    try:
        mode = _mode(student)
        if not stat.S_ISDIR(mode):
            return stat.S_ISLNK(mode)
        return bool(_mode(student / assignment_id)) or any(_named_so(student, assignment_id))
    except OSError:
        return True


def find_submission(handed_in: Path, assignment_id: str) -> Path:
    """The file to grade: this one, or the one in the folder submitted/<student>/<assignment>/.

    Under another name than the assignment's only if it is the only one. Raises
    UnreadableSubmission when there is none, no telling which, or a link on the way to it.
    """
    try:
        return _found(handed_in, assignment_id)
    except OSError as error:
        raise UnreadableSubmission(
            f"{handed_in.name} cannot be looked at: {error.strerror}. Put what was handed in where "
            "the grader may read it."
        ) from error


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Raise UnreadableSubmission when one of these files beside the notebook is a link."""
    for name in names:
        if (folder / name).is_symlink():
            raise UnreadableSubmission(
                f"{name} is a link, and links are not followed: put the file itself there."
            )


def lie_beside(path: Path) -> tuple[str, ...]:
    """What else might be the submission, beside the file that was taken for it or below that."""
    try:
        return tuple(name for name in _notebooks(path.parent) if name != path.name)
    except OSError:
        return ()


def _found(handed_in: Path, assignment_id: str) -> Path:
    student = handed_in.parent
    mode = _mode(handed_in)
    if stat.S_ISREG(mode):
        return handed_in
    for folder in (student, handed_in):
        if stat.S_ISLNK(_mode(folder)):
            raise UnreadableSubmission(
                f"{folder.name} is a link, and links are not followed: put the folder itself there."
            )
    if student_name(student.name) != student.name:
        raise UnreadableSubmission(
            f"the name of the folder {student_name(student.name)!r} is too long, or has "
            "characters that cannot be shown; this name was made of it. Rename the folder."
        )
    if not mode:
        raise _refused(f"there is no folder {assignment_id}", _named_so(student, assignment_id))
    for suffix in (".ipynb", ".py"):
        if _mode(path := handed_in / f"{assignment_id}{suffix}"):
            return path
    found = list(_notebooks(handed_in))
    only = [name for name in found if os.sep not in name and name.endswith(".ipynb")]
    if len(only) == 1:
        return handed_in / only[0]
    raise _refused(f"there is no {assignment_id}.ipynb", found or _names(handed_in, _is_theirs))


def _mode(path: Path) -> int:
    """What lies there, itself and not what it leads to; 0 for nothing."""
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _named_so(student: Path, assignment_id: str) -> Iterator[str]:
    """What has the assignment's name, or that and more, as "a1.zip" and "a1 (1)" have."""
    named = re.compile(rf"{re.escape(assignment_id)}(\W.*)?", re.DOTALL)
    return _names(student, lambda entry: named.fullmatch(entry.name) is not None)


def _refused(what: str, found: Iterator[str] | list[str]) -> UnreadableSubmission:
    names = list(islice(found, _TOLD + 1))
    if not names:
        return UnreadableSubmission(f"{what}, nor anything else: ask what was meant to be there.")
    told = ", ".join(names[:_TOLD]) + (", ..." if len(names) > _TOLD else "")
    return UnreadableSubmission(
        f"{what}, but there {'is' if len(names) == 1 else 'are'} {told}. Put the notebook that is "
        "meant there under that name, and grade again."
    )


def _notebooks(folder: Path) -> Iterator[str]:
    """What may be a notebook or hold one, by its path in the folder: the nearest first."""
    waiting = [folder]
    for _ in range(_MAX_DEPTH):
        below: list[Path] = []
        for each in waiting[:_TOLD]:
            where = "" if each == folder else f"{each.relative_to(folder)}{os.sep}"
            yield from (
                f"{where}{name}" for name in _names(each, lambda entry: _may_be_meant(entry.name))
            )
            names = _names(each, lambda entry: entry.is_dir(follow_symlinks=False))
            below += (each / name for name in names if not name.startswith("."))
        waiting = below


def _is_theirs(entry: os.DirEntry[str]) -> bool:
    """Whether a student may have handed it in: the time of handing in is nbgrader's."""
    return entry.name != "timestamp.txt"


def _may_be_meant(name: str) -> bool:
    return name.lower().endswith((".ipynb", ".zip", ".tar", ".gz", ".7z", ".rar"))


def _names(
    folder: Path, wanted: Callable[[os.DirEntry[str]], bool] = lambda _: True
) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted(entry.name for entry in islice(entries, _MAX_NAMES) if wanted(entry))
    return iter(found)
