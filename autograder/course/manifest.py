"""The manifest: course.yml read into Course, Assignment and Item.

YAML's nodes, which know their lines, become plain data, which pydantic checks; each of its errors
is then told as the line, the key, what may stand there and what does. All are told at once.
"""

import difflib
import re
from pathlib import Path
from typing import Annotated, Any

import pydantic
import yaml
from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic_core import ErrorDetails

from autograder.course.assignment import Assignment, ByHand, Item, Limits, RubricLine
from autograder.course.at_once import AtOnce
from autograder.course.dates import Dates, Late
from autograder.course.entry import (
    ID_PATTERN,
    ID_WORDS,
    Entry,
    Title,
    UnknownIdError,
    nearest_of,
    with_ids,
)
from autograder.course.handout import Handout
from autograder.course.layout import SOLUTIONS, source_path
from autograder.course.lines import FILE, ManifestError, Problems, find, read_yaml, written

__all__ = ["Course", "ManifestError", "UnknownIdError", "check_id", "read_course"]

_BOUNDS = {"gt": "above {}", "ge": "at least {}", "lt": "below {}", "le": "at most {}"}
_DESCRIBED = {"banned_in", "packages"}  # with all that stands below them
_SHARED = ("limits", "late", "at_once")  # the course's, of which an assignment may override any


class Course(Entry):
    """The whole course; `root` is the folder of course.yml, `limits` are those not overridden."""

    name: Title
    limits: Limits
    late: Late | None = None
    # How many days late each student may be in the whole course, at no cost.
    late_days: int = Field(default=0, ge=0, description="a whole number")
    handout: Handout = Handout()
    at_once: AtOnce = AtOnce()
    assignments: Annotated[tuple[Assignment, ...], BeforeValidator(with_ids)] = Field(
        min_length=1, description="a mapping of ids to assignments"
    )
    root: Path

    @pydantic.field_validator("assignments")
    @classmethod
    def _all_have_a_weight_or_none(cls, all: tuple[Assignment, ...]) -> tuple[Assignment, ...]:
        without = [each.id for each in all if each.weight is None]
        if 0 < len(without) < len(all):
            raise ValueError(
                f"must all have a weight, or none: {', '.join(without)} has none, and would count "
                "its points beside the weights of the others"
            )
        return all

    @pydantic.field_validator("late_days")
    @classmethod
    def _are_worth_something(cls, days: int, info: ValidationInfo) -> int:
        late = info.data.get("late")
        if days and "late" in info.data and not (late and late.percent_per_day):
            raise ValueError(f"must be 0 where late.percent_per_day is 0 or not there, got {days}")
        return days

    def assignment(self, id: str) -> Assignment:
        """The assignment with this id; raises UnknownIdError."""
        known = {assignment.id: assignment for assignment in self.assignments}
        if id not in known:
            said = f"no assignment {id!r} in {FILE}{nearest_of(id, known)}"
            raise UnknownIdError(f"{said}; it has: {', '.join(known)}")
        return known[id]


# The model of what stands under a key, or under each id below it.
_MODELS: dict[str, type[Entry]]
_MODELS = {"limits": Limits, "late": Late, "assignments": Assignment, "items": Item}
_MODELS |= {
    "handout": Handout,
    "at_once": AtOnce,
    "dates": Dates,
    "manual": ByHand,
    "rubric": RubricLine,
}


def check_id(text: str) -> None:
    """Raises ValueError for what may not be an id, saying what may."""
    if not re.fullmatch(ID_PATTERN, text):
        raise ValueError(f"must be {ID_WORDS}, got {text!r}")


def read_course(root: Path) -> Course:
    """Read course.yml in the folder `root`; raises ManifestError with all that is wrong in it."""
    problems: Problems = []
    top, data = read_yaml(root / FILE, _known(Course), problems)
    assignments = data.get("assignments")
    for entry in assignments.values() if isinstance(assignments, dict) else ():
        for key in _SHARED if isinstance(entry, dict) else ():
            shared, own = data.get(key), entry.get(key, {})
            if isinstance(shared, dict) and isinstance(own, dict):
                entry[key] = shared | own
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
    for each in _DESCRIBED.intersection(steps):
        steps = steps[: steps.index(each) + 1]
    *_, above, name = ("", *steps)
    model = _MODELS.get(above, Course)
    line, keys, node = find(top, at)
    if not node and kind == "value_error":
        line, _, node = find(top, (*at[:-1], "wall_seconds"))  # overridden, below call_seconds
    if not node and at[2:3] and at[2] in _SHARED:
        return  # inherited: the course's own are wrong
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
        problem = f"must be {ID_WORDS}, got {keys[-1]!r}"
    else:
        problem = f"must be {_allowed(model, name, kind)}, got {written(node)}"
    problems.append((line, f"{'.'.join(keys)} {problem}"))


def _allowed(model: type[Entry], name: str, kind: str) -> str:
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


def _known(model: type[Entry]) -> str:
    return ", ".join(name for name in model.model_fields if name not in ("id", "root"))
