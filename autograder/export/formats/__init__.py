"""Scores on their way out: gathered once, from the gradebook, and written for each system."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from autograder.export.formats import canvas, data, gradescope, moodle, pages, table
from autograder.export.formats.filling import Filled, NotThatSheet
from autograder.export.formats.gathering import Gathered, NothingGraded, gather
from autograder.export.formats.gradescope import at_once
from autograder.export.formats.marks import Learner, State
from autograder.export.formats.packing import packed

__all__ = [
    "FORMATS",
    "Format",
    "Gathered",
    "NotThatSheet",
    "NothingGraded",
    "State",
    "at_once",
    "gather",
    "packed",
]


@dataclass(frozen=True)
class Format:
    """How a system takes scores.

    ending: of the file's name. one: whether a file is of one assignment. write: what is in it.
    fill: the same of the system's own export, filled in. known: whether the system would know a
    student by it; where not, the roster lacks what `asks` says.
    """

    ending: str
    write: Callable[[Gathered], str | bytes]
    one: bool = False
    fill: Callable[[Gathered, Path], Filled] | None = None
    known: Callable[[Learner], bool] = lambda _: True
    asks: str = ""


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "csv": Format(".csv", table.by_student),
        "items": Format("-items.csv", table.by_item),
        "json": Format(".json", data.write),
        "canvas": Format(
            "-canvas.csv",
            canvas.write,
            fill=canvas.fill,
            known=canvas.known,
            asks="canvas, sis or login",
        ),
        "moodle": Format(
            "-moodle.csv",
            moodle.write,
            one=True,
            fill=moodle.fill,
            known=moodle.known,
            asks="moodle",
        ),
        "moodle-feedback": Format(
            "-moodle-feedback.zip",
            pages.write,
            one=True,
            fill=pages.fill,
            known=moodle.known,
            asks="moodle",
        ),
        "gradescope": Format(
            "-gradescope.zip",
            gradescope.write,
            one=True,
            known=gradescope.known,
            asks="gradescope or email",
        ),
    }
)
