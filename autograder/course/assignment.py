"""An assignment as course.yml has it: its items, its limits, what its students are told."""

from typing import Annotated, Literal

import pydantic
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from autograder.course.at_once import AtOnce
from autograder.course.banned import check_banned
from autograder.course.dates import Dates, Late
from autograder.course.entry import Entry, Id, Title, UnknownIdError, nearest_of, with_ids

__all__ = ["Assignment", "ByHand", "Item", "Limits", "RubricLine"]

_DOTTED = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$"
_Banned = Annotated[str, Field(pattern=_DOTTED), AfterValidator(check_banned)]
_FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][\w.-]*$")]


class Limits(Entry):
    """What one submission may use inside the sandbox."""

    wall_seconds: float = Field(gt=0, le=3600, description="a number of seconds")
    call_seconds: float = Field(gt=0, description="a number of seconds")
    memory_mib: int = Field(ge=64, le=65536, description="a whole number of MiB")
    processes: int = Field(ge=1, le=64, description="a whole number")
    output_bytes: int = Field(ge=1024, le=2**30, description="a whole number of bytes")

    @pydantic.field_validator("call_seconds")
    @classmethod
    def _ends_with_the_submission(cls, call: float, info: ValidationInfo) -> float:
        wall = info.data.get("wall_seconds", call)  # absent: wrong itself, and told as such
        if call > wall:
            raise ValueError(f"must be at most wall_seconds ({wall:g}), got {call:g}")
        return call


class _Part(Entry):
    id: Id
    title: Title
    # Why it counts for nobody, where it turned out to be bad; it is worth nothing then.
    dropped: str | None = Field(default=None, pattern=r"\S", description="the reason, a text")
    points: float = Field(ge=0, description="a finite number")
    # Whether it adds above the total.
    extra: bool = Field(default=False, description="true or false")

    @pydantic.field_validator("points")
    @classmethod
    def _unless_dropped(cls, points: float, info: ValidationInfo) -> float:
        return 0.0 if info.data.get("dropped") else points


class RubricLine(Entry):
    """A sentence for whoever reads to pick as a comment, and the points it gives or takes."""

    points: float = Field(description="a finite number")
    text: Annotated[Title, AfterValidator(lambda text: " ".join(text.split()))]

    @property
    def said(self) -> str:
        """How it stands in a comment: a line of its own, by which it is found again there."""
        return f"{self.text} ({self.points:+g})" if self.points else self.text


class ByHand(_Part):
    """A part of an assignment that people grade, in nbgrader; its id is nbgrader's grade_id."""

    rubric: tuple[RubricLine, ...] = Field(
        default=(), strict=False, description="a list of lines with points and text"
    )


class Item(_Part):
    """A part that the checks grade; its id is their marker too."""

    visibility: Literal["public", "hidden"] = Field(description="public or hidden")
    tolerance: float = Field(gt=0, lt=1, description="a number")


class Assignment(Entry):
    """One assignment: its items in the order of the file; limits it leaves out are the course's."""

    id: Id
    title: Title
    items: Annotated[tuple[Item, ...], BeforeValidator(with_ids)] = Field(
        min_length=1, description="a mapping of ids to items"
    )
    manual: Annotated[tuple[ByHand, ...], BeforeValidator(with_ids)] = Field(
        default=(), description="a mapping of ids to what is graded by hand"
    )
    limits: Limits
    dates: Dates | None = None
    late: Late | None = None  # without: what nbgrader_config.py says
    at_once: AtOnce = AtOnce()
    # What it counts in the course's total, beside the others; its points where none has a weight.
    weight: float | None = Field(default=None, ge=0, description="a number")
    # Whether all of it adds above the total of the course.
    extra: bool = Field(default=False, description="true or false")
    estimate: Title = Field(default="an evening", description="a text such as two evenings")
    # Not strict, so that YAML's list becomes a tuple; the names in it stay strict.
    banned: tuple[_Banned, ...] = Field(
        default=(), strict=False, description="a list of dotted names such as torch.nn.Linear"
    )

    # More of them, for what one function or class of the student's does.
    banned_in: dict[str, Annotated[tuple[_Banned, ...], Field(strict=False)]] = Field(
        default={}, description="a mapping of names to lists of dotted names"
    )
    # What an item is worth that is right once an earlier part is replaced by a right one.
    carried_share: float = Field(default=1.0, ge=0, le=1, description="a number")

    # Whether a mistake that is known is paid for once, or in every item that it touches.
    charge: Literal["once", "every_item"] = Field(default="once", description="once or every_item")
    # Whether the line is told that a mistake stands in.
    locate: bool = Field(default=True, description="true or false")

    # How much a student is told of what is wrong.
    feedback: Literal["verdict", "message", "diagnosis"] = Field(
        default="diagnosis", description="verdict, message or diagnosis"
    )
    # When students get the answers to what they were given to think about; staff always have them.
    answers: Literal["never", "with_feedback", "with_notebook"] = Field(
        default="never", description="never, with_feedback or with_notebook"
    )
    # Whether the notebook's own public cases name mistakes, too.
    diagnose_in_notebook: bool = Field(default=False, description="true or false")

    # Of solutions/<assignment>/, what students get beside the notebook.
    files: tuple[_FileName, ...] = Field(
        default=(), strict=False, description="a list of file names such as table.tsv"
    )
    # What students hand in beside it; the reference's own lie in solutions/<assignment>/.
    handed_in: tuple[_FileName, ...] = Field(
        default=(), strict=False, description="a list of file names such as answers.csv"
    )

    @pydantic.field_validator("manual")
    @classmethod
    def _are_no_items(cls, manual: tuple[ByHand, ...], info: ValidationInfo) -> tuple[ByHand, ...]:
        items = {item.id for item in info.data.get("items", ())}
        if both := [each.id for each in manual if each.id in items]:
            raise ValueError(f"must not have the ids of items, has {', '.join(both)}")
        return manual

    @property
    def max_score(self) -> float:
        """The points of all items together, without what is graded by hand and what is extra."""
        return sum(item.points for item in self.items if not item.extra)

    @property
    def worth(self) -> float:
        """The points of all that is graded, by checks and by hand; nothing of it extra."""
        return self.max_score + sum(part.points for part in self.manual if not part.extra)

    def item(self, id: str) -> Item:
        """The item with this id; raises UnknownIdError."""
        known = {item.id: item for item in self.items}
        if id not in known:
            said = f"no item {id!r} in {self.id}{nearest_of(id, known)}"
            raise UnknownIdError(f"{said}; it has: {', '.join(known) or 'none'}")
        return known[id]

    def by_hand(self, id: str) -> ByHand:
        """What is graded by hand under this id; raises UnknownIdError."""
        known = {each.id: each for each in self.manual}
        if id not in known:
            said = f"no {id!r} under manual in {self.id}{nearest_of(id, known)}"
            raise UnknownIdError(f"{said}; it has: {', '.join(known) or 'none'}")
        return known[id]
