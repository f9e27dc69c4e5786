"""The manifest: course.yml read into Course, Assignment and Item.

YAML's nodes, which know their lines, become plain data, which pydantic checks; each of its errors
is then told as the line, the key, what may stand there and what does. All are told at once.
"""

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import yaml
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
)
from pydantic_core import ErrorDetails

from autograder.course.banned import check_banned
from autograder.course.layout import SOLUTIONS, source_path
from autograder.course.lines import FILE, ManifestError, Problems, find, read_yaml, written

__all__ = ["Assignment", "ByHand", "Course", "Dates", "Item", "Limits", "ManifestError"]
__all__ += ["UnknownIdError", "check_id", "read_course"]

_BOUNDS = {"gt": "above {}", "ge": "at least {}", "lt": "below {}", "le": "at most {}"}


class UnknownIdError(LookupError):
    """An id that course.yml does not have; the message lists those it has."""


class _Entry(pydantic.BaseModel):
    # Not strict, pydantic would read `points: true` as 1.0 and `points: "3"` as 3.0.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _with_ids(entries: Any) -> Any:
    """Entries under ids as a tuple of entries that hold their id; all else is left as it is."""
    if not isinstance(entries, dict):
        return entries
    return tuple(e | {"id": id} if isinstance(e, dict) else e for id, e in entries.items())


# A description, and after it the bounds of the field, completes the "must be" of a message.
_ID = "lower-case letters, digits and underscores, the first a letter"
_ID_PATTERN = "^[a-z][a-z0-9_]*$"
_Id = Annotated[str, Field(pattern=_ID_PATTERN, description=_ID)]
_Title = Annotated[str, Field(pattern=r"\S", description="a text that is not blank")]
_DOTTED = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$"
_Banned = Annotated[str, Field(pattern=_DOTTED), AfterValidator(check_banned)]
_FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][\w.-]*$")]
_MOMENT = "a date and time with its UTC offset, such as 2027-02-01T09:00:00+01:00"


class Limits(_Entry):
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


class Dates(_Entry):
    """When an assignment is handed out, and when it must be handed in."""

    released: AwareDatetime = Field(description=_MOMENT)
    due: AwareDatetime = Field(description=_MOMENT)

    @pydantic.field_validator("due")
    @classmethod
    def _follows_release(cls, due: AwareDatetime, info: ValidationInfo) -> AwareDatetime:
        released = info.data.get("released")
        if released and due <= released:
            raise ValueError(f"must be after released ({released}), got {due}")
        return due


class ByHand(_Entry):
    """A part of an assignment that people grade, in nbgrader; its id is nbgrader's grade_id."""

    id: _Id
    title: _Title
    points: float = Field(ge=0, description="a finite number")


class Item(ByHand):
    """A part that the checks grade; its id is their marker too."""

    visibility: Literal["public", "hidden"] = Field(description="public or hidden")
    tolerance: float = Field(gt=0, lt=1, description="a number")


class Assignment(_Entry):
    """One assignment: its items in the order of the file; limits it leaves out are the course's."""

    id: _Id
    title: _Title
    items: Annotated[tuple[Item, ...], BeforeValidator(_with_ids)] = Field(
        min_length=1, description="a mapping of ids to items"
    )
    manual: Annotated[tuple[ByHand, ...], BeforeValidator(_with_ids)] = Field(
        default=(), description="a mapping of ids to what is graded by hand"
    )
    limits: Limits
    dates: Dates | None = None
    estimate: _Title = Field(default="an evening", description="a text such as two evenings")
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
        """The points of all items together, without what is graded by hand."""
        return sum(item.points for item in self.items)

    def item(self, id: str) -> Item:
        """The item with this id; raises UnknownIdError."""
        known = {item.id: item for item in self.items}
        if id not in known:
            raise UnknownIdError(f"no item {id!r} in {self.id}; it has: {', '.join(known)}")
        return known[id]

    def by_hand(self, id: str) -> ByHand:
        """What is graded by hand under this id; raises UnknownIdError."""
        known = {each.id: each for each in self.manual}
        if id not in known:
            raise UnknownIdError(f"no {id!r} under manual in {self.id}; it has: {', '.join(known)}")
        return known[id]


class Course(_Entry):
    """The whole course; `root` is the folder of course.yml, `limits` are those not overridden."""

    name: _Title
    limits: Limits
    assignments: Annotated[tuple[Assignment, ...], BeforeValidator(_with_ids)] = Field(
        min_length=1, description="a mapping of ids to assignments"
    )
    root: Path

    def assignment(self, id: str) -> Assignment:
        """The assignment with this id; raises UnknownIdError."""
        known = {assignment.id: assignment for assignment in self.assignments}
        if id not in known:
            raise UnknownIdError(f"no assignment {id!r} in {FILE}; it has: {', '.join(known)}")
        return known[id]


# The model of what stands under a key, or under each id below it.
_MODELS: dict[str, type[_Entry]]
_MODELS = {"limits": Limits, "assignments": Assignment, "items": Item, "dates": Dates}
_MODELS["manual"] = ByHand


def check_id(text: str) -> None:
    """Raises ValueError for what may not be an id, saying what may."""
    if not re.fullmatch(_ID_PATTERN, text):
        raise ValueError(f"must be {_ID}, got {text!r}")


def read_course(root: Path) -> Course:
    """Read course.yml in the folder `root`; raises ManifestError with all that is wrong in it."""
    problems: Problems = []
    top, data = read_yaml(root / FILE, _known(Course), problems)
    match data:
        case {"limits": dict(shared), "assignments": dict(assignments)}:
            for assignment in filter(lambda entry: isinstance(entry, dict), assignments.values()):
                if isinstance(own := assignment.get("limits", {}), dict):
                    assignment["limits"] = shared | own
    _tell_of_sources(root, top, data, problems)
    try:
        course = Course.model_validate(data | {"root": root})
    except pydantic.ValidationError as error:
        for detail in error.errors(include_url=False):
            _tell(detail, top, problems)
    if problems:
        raise ManifestError("\n".join(f"{FILE}:{line}: {told}" for line, told in sorted(problems)))
    return course


def _tell_of_sources(root: Path, top: yaml.Node, data: dict[str, Any], problems: Problems) -> None:
    """Add the assignments that have no source, as one that was renamed in the file alone."""
    if not (root / SOLUTIONS).is_dir() or not isinstance(data.get("assignments"), dict):
        return
    there = sorted(
        path.parent.name for path in root.glob(f"{SOLUTIONS}/*/*.py") if _is_source(path)
    )
    for id in filter(lambda id: id not in there, data["assignments"]):
        line, keys, _ = find(top, ("assignments", id))
        own = [each for each in there if each not in data["assignments"]]
        guess = f"; {SOLUTIONS}/ has {', '.join(own)}, which {FILE} has not" if own else ""
        where = source_path(root, id).relative_to(root)
        problems.append((line, f"{'.'.join(keys)} has no source: {where} is not there{guess}"))


def _is_source(path: Path) -> bool:
    return path.stem == path.parent.name


def _tell(error: ErrorDetails, top: yaml.Node, problems: Problems) -> None:
    """Add one of pydantic's errors in the terms of the file, unless another tells as much."""
    kind, at = error["type"], error["loc"]
    steps = [step for step in at if isinstance(step, str)]
    # What stands below banned_in is described where it is.
    steps = steps[: steps.index("banned_in") + 1] if "banned_in" in steps else steps
    *_, above, name = ("", *steps)
    model = _MODELS.get(above, Course)
    line, keys, node = find(top, at)
    if not node and kind == "value_error":
        line, _, node = find(top, (*at[:-1], "wall_seconds"))  # overridden, below call_seconds
    if not node and at[2:3] == ("limits",):
        return  # inherited: the course's own limits are wrong
    if kind == "too_short" and error["input"]:
        return  # pydantic counts the right entries only: the others are wrong
    if kind == "extra_forbidden":
        close = difflib.get_close_matches(name, _known(model).split(", "), n=1)
        guess = f"; did you mean {close[0]}?" if close else ""
        problem = f"is not a known key{guess} (known: {_known(model)})"
    elif kind == "value_error":
        problem = error["msg"].removeprefix("Value error, ")
    elif kind == "missing":
        problem = f"is missing; it must be {_allowed(model, name, kind)}"
    elif name == "id":
        keys = keys[:-1]  # in the file it is the key
        problem = f"must be {_ID}, got {keys[-1]!r}"
    else:
        problem = f"must be {_allowed(model, name, kind)}, got {written(node)}"
    problems.append((line, f"{'.'.join(keys)} {problem}"))


def _allowed(model: type[_Entry], name: str, kind: str) -> str:
    field = model.model_fields[name]
    if kind == "model_type" or not field.description:
        return f"a mapping (keys: {_known(_MODELS[name])})"
    bounds = " and ".join(
        words.format(getattr(bound, sign))
        for sign, words in _BOUNDS.items()
        for bound in field.metadata
        if hasattr(bound, sign)
    )
    if kind.startswith(("greater_than", "less_than")):
        return bounds  # it is a number, and need not be told so
    return field.description + (bounds and f", {bounds}")


def _known(model: type[_Entry]) -> str:
    return ", ".join(name for name in model.model_fields if name not in ("id", "root"))
