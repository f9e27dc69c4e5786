"""What grading found out: verdicts, items and the result file that is the evidence.

A result file is written whole or not at all, so a killed grader never leaves half a score.
"""

import os
import tempfile
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

# How much a student is told: the verdict of each item, the check's words too, or the mistake too.
Feedback = Literal["verdict", "message", "diagnosis"]


class Verdict(StrEnum):
    """What became of one item; the last two give no score, and cost none: staff must look."""

    PASSED = "passed"
    CARRIED = "carried"  # right once an earlier part is replaced by a right one
    WRONG = "wrong"
    MISSING = "missing"  # still the stub, or not there
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    FORBIDDEN = "forbidden"  # used a call that the item asks to write
    UNREADABLE = "unreadable"  # what was handed in is not this notebook, as far as can be told
    INTERNAL = "internal"  # our fault


class SmallestExample(BaseModel):
    """The smallest example found on which a submission is wrong, in numbers that can be followed.

    Where it is numbers that are wrong: of what, as in "output", those that are right and those that
    came, each as it is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    call: str  # as it can be typed
    weights: str = ""  # of what is called: ", with biases of 0"
    problem: str  # in words
    of: str | None = None
    shape: tuple[int, ...] = ()
    expected: tuple[str, ...] = ()
    got: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The example as a sentence."""
        said = f"The smallest example found{self.weights}: {self.call}: {self.problem}"
        return said if said.endswith(("?", ".", "!")) else f"{said}."


class ItemResult(BaseModel):
    """One item of one submission: its points, its score and the sentences about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: str
    title: str
    points: float
    score: float | None  # None: staff must look
    verdict: Verdict
    message: str | None = None  # for the student; for staff when there is no score
    hint: str | None = None  # a question that may lead on
    diagnosis: str | None = None  # what the numbers prove to be wrong
    faults: dict[str, str] = {}  # those that the diagnosis names: what was done, by id
    known: str | None = None  # where nothing explains it: what its answers show all the same
    example: SmallestExample | None = None

    @property
    def said(self) -> tuple[str, ...]:
        """What there is to read, a paragraph each: who knows the mistake needs no hint."""
        texts = (self.message, self.diagnosis or self.hint, self.known, self.example)
        return tuple(str(text) for text in texts if text)

    def told(self, feedback: Feedback) -> "ItemResult":
        """What the student is told of it."""
        silent: dict[str, Any] = dict.fromkeys(("diagnosis", "known", "example")) | {"faults": {}}
        if feedback == "verdict":
            silent |= {"message": None, "hint": None}
        kept = feedback == "diagnosis" or self.score is None
        return self if kept else self.model_copy(update=silent)


class Place(BaseModel):
    """A line of the student's own code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cell: str
    line: int  # in the cell, from 1
    source: str  # what stands there


class Mistake(BaseModel):
    """One mistake, told once, whatever items it touches.

    named: the numbers prove which of the known mistakes it is; line: a change of that line alone
    puts it right; error: an exception, which may hide others; loop: one that was not done in time;
    leftover: it hangs on the calls before; unknown: nothing explains it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["named", "line", "error", "loop", "leftover", "unknown"]
    what: tuple[str, ...]  # is done wrong; of several, nothing tells which of them it is
    think: tuple[str, ...] = ()  # about what, to each
    faults: tuple[str, ...] = ()  # their ids
    proof: str | None = None  # what the numbers say
    example: SmallestExample | None = None
    place: Place | None = None
    items: tuple[str, ...]  # that it touches
    costs: dict[str, float]  # in points, by the item that pays


class Result(BaseModel):
    """One graded submission. `score` is None when any item's is: never a zero."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    student: str
    assignment: str
    score: float | None
    max_score: float
    items: tuple[ItemResult, ...]
    mistakes: tuple[Mistake, ...] = ()  # the dearest first
    notes: tuple[str, ...] = ()  # for the student: cells set aside, failures that cost nothing
    trouble: str | None = None  # for staff: a fault of ours, for which the score may be too low
    sandbox: str  # sandlock, bubblewrap, plain, or none
    seconds: float  # wall seconds from reading the file to the last verdict
    versions: dict[str, str]
    secret_fingerprint: str
    submission_sha256: str | None  # None: there was nothing to read
    # By content, part by part: from the same of all, grading again would give the same.
    came_from: dict[str, str] = {}

    def told(self, feedback: Feedback) -> "Result":
        """The result as its student is to see it."""
        items = tuple(each.told(feedback) for each in self.items)
        mistakes = self.mistakes if feedback == "diagnosis" else ()
        return self.model_copy(update={"items": items, "mistakes": mistakes})

    @property
    def needs_staff(self) -> bool:
        """Whether this submission waits for a person: a fault of ours, or not to be read."""
        return self.score is None

    @property
    def asks_for_staff(self) -> bool:
        """Whether a person must look at it, with a score or without one."""
        return self.needs_staff or self.trouble is not None

    @property
    def unreadable(self) -> str | None:
        """Why nothing of it could be graded, where what was handed in is the reason."""
        found = (each.message for each in self.items if each.verdict is Verdict.UNREADABLE)
        return next(found, None)

    def write(self, path: Path) -> None:
        """Write to `path` atomically, creating its folder."""
        write_atomically(path, self.model_dump_json(indent=2) + "\n")

    @classmethod
    def read(cls, path: Path) -> "Result":
        """Read a result file; raises ValueError naming the file when it is not one."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValueError as error:
            raise ValueError(f"{path} is not a result file: {error}") from error


def write_atomically(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Write content to `path` so that a reader sees the old file or the new one, never half.

    A long one may come in pieces, as it is made.
    """
    pieces = [content] if isinstance(content, (str, bytes)) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".draft")
    try:
        with os.fdopen(handle, "wb") as file:
            for each in pieces:
                file.write(each.encode() if isinstance(each, str) else each)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            error.filename = error.filename or str(path)
        raise
