"""The manifest: course.yml read into Course, Assignment and Item.

YAML's nodes, which know their lines, become plain data, which pydantic checks; each of its errors
is then told as the line, the key, what may stand there and what does. All are told at once.
"""

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import pydantic
import yaml
from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import ErrorDetails
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.reader import ReaderError

_FILE = "course.yml"
_MAX_BYTES = 2**20  # far above any course; much more would keep PyYAML busy for minutes
_Problems = list[tuple[int, str]]  # the line, and the sentence about it
_BOUNDS = {"gt": "above {}", "ge": "at least {}", "lt": "below {}", "le": "at most {}"}


class ManifestError(Exception):
    """What is wrong with course.yml: all of it, one problem a line."""


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
_Id = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$", description=_ID)]
_Title = Annotated[str, Field(pattern=r"\S", description="a text that is not blank")]
_DottedName = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")]
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
    banned: tuple[_DottedName, ...] = Field(
        default=(), strict=False, description="a list of dotted names such as torch.nn.Transformer"
    )

    # More of them, for what one function or class of the student's does.
    banned_in: dict[str, Annotated[tuple[_DottedName, ...], Field(strict=False)]] = Field(
        default={}, description="a mapping of names to lists of dotted names"
    )
    # What an item is worth that is right once an earlier part is replaced by a right one.
    carried_share: float = Field(default=1.0, ge=0, le=1, description="a number")

    # Of solutions/<assignment>/, what students get beside the notebook.
    files: tuple[_FileName, ...] = Field(
        default=(), strict=False, description="a list of file names such as numbers.tsv"
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
            raise UnknownIdError(f"no assignment {id!r} in {_FILE}; it has: {', '.join(known)}")
        return known[id]


# The model of what stands under a key, or under each id below it.
_MODELS: dict[str, type[_Entry]]
_MODELS = {"limits": Limits, "assignments": Assignment, "items": Item, "dates": Dates}
_MODELS["manual"] = ByHand


def read_course(root: Path) -> Course:
    """Read course.yml in the folder `root`; raises ManifestError with all that is wrong in it."""
    problems: _Problems = []
    top, data = _read_yaml(root / _FILE, problems)
    match data:
        case {"limits": dict(shared), "assignments": dict(assignments)}:
            for assignment in filter(lambda entry: isinstance(entry, dict), assignments.values()):
                if isinstance(own := assignment.get("limits", {}), dict):
                    assignment["limits"] = shared | own
    try:
        course = Course.model_validate(data | {"root": root})
    except pydantic.ValidationError as error:
        for detail in error.errors(include_url=False):
            _tell(detail, top, problems)
    if problems:
        raise ManifestError("\n".join(f"{_FILE}:{line}: {told}" for line, told in sorted(problems)))
    return course


class _Loader(yaml.SafeLoader):
    """PyYAML without aliases: a few lines of them can stand for gigabytes, or for themselves."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.get_event()  # type: ignore[no-untyped-call]
            _refuse("an alias is not allowed; repeat the value", event)
        return super().compose_node(parent, index)


def _read_yaml(path: Path, problems: _Problems) -> tuple[yaml.Node, dict[str, Any]]:
    """The top node of a file, and its plain data."""
    try:
        with open(path, "rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise ManifestError(f"{_FILE}: must be at most {_MAX_BYTES} bytes, is longer")
        text = raw.decode()
        top = yaml.compose(text, Loader=_Loader)
        if not isinstance(top, yaml.MappingNode):
            got = _written(top) if top else "nothing"
            raise ManifestError(f"{_FILE}:1: must be a mapping (keys: {_known(Course)}), got {got}")
        return top, _plain(top, problems)
    except OSError as error:
        raise ManifestError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        line, why = 0, str(error)  # PyYAML's ways with "\Uffffffff" and with thousands of brackets
        match error:
            case UnicodeDecodeError(start=start):
                line, why = raw.count(b"\n", 0, start) + 1, f"byte 0x{raw[start]:02x} is not UTF-8"
            case ReaderError(position=position, reason=reason):
                line, why = text.count("\n", 0, position) + 1, str(reason)
            case yaml.MarkedYAMLError(problem_mark=yaml.Mark() as mark):
                line, why = mark.line + 1, ", ".join(filter(None, (error.context, error.problem)))
        where = f"{_FILE}:{line}" if line else _FILE
        raise ManifestError(f"{where}: cannot be read as YAML: {why}") from error


def _plain(node: Any, problems: _Problems, *above: str) -> Any:
    """The data of a node; adds the problems of keys that pydantic would not see."""
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value, problems, *above) for value in node.value]
    if isinstance(node, yaml.ScalarNode):
        try:
            return SafeConstructor().construct_object(node)
        except (ValueError, ArithmeticError, LookupError, AttributeError):
            return node.value  # 30 February, say: it stays a text, which no date may be
    lines, plain = dict[str, int](), dict[str, Any]()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or not key.value.isprintable():
            _refuse("a key must be a plain text", key)
        keys = (*above, key.value)  # as written: `on` is a text here
        if key.value in lines:
            twice = f"{'.'.join(keys)} stands twice, first on line {lines[key.value]}"
            problems.append((_line(key), twice))
        match keys:
            case (
                ("root",)
                | ("assignments", _, "id")
                | ("assignments", _, "items" | "manual", _, "id")
            ):
                problems.append((_line(key), f"{'.'.join(keys)} is not a known key"))
        lines.setdefault(key.value, _line(key))
        plain[key.value] = _plain(value, problems, *keys)
    return plain


def _tell(error: ErrorDetails, top: yaml.Node, problems: _Problems) -> None:
    """Add one of pydantic's errors in the terms of the file, unless another tells as much."""
    kind, at = error["type"], error["loc"]
    *_, above, name = ("", *(step for step in at if isinstance(step, str)))
    model = _MODELS.get(above, Course)
    line, keys, node = _find(top, at)
    if not node and kind == "value_error":
        line, _, node = _find(top, (*at[:-1], "wall_seconds"))  # overridden, below call_seconds
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
        problem = f"must be {_allowed(model, name, kind)}, got {_written(node)}"
    problems.append((line, f"{'.'.join(keys)} {problem}"))


def _find(node: Any, at: tuple[int | str, ...]) -> tuple[int, list[str], Any]:
    """The line, keys and node of a place; where nothing stands, the line above it and None."""
    line, keys = 1, list[str]()
    for step in at:
        if isinstance(node, yaml.SequenceNode):
            key = node = node.value[int(step)]
        else:
            pairs = node.value if isinstance(node, yaml.MappingNode) else []
            entries = {key.value: (key, value) for key, value in pairs}
            keys.append(list(entries)[step] if isinstance(step, int) else step)
            key, node = entries.get(keys[-1], (None, None))
        if node:
            line = _line(node if isinstance(node, yaml.ScalarNode) else key)
    return line, keys, node


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


def _written(node: yaml.Node) -> str:
    """What stands at a node, for a message to end with."""
    if not isinstance(node, yaml.ScalarNode):
        kind = "mapping" if isinstance(node, yaml.MappingNode) else "list"
        return f"a {kind}" if node.value else f"an empty {kind}"
    text = node.value if len(node.value) <= 60 else node.value[:57] + "..."
    kind = node.tag.rpartition(":")[2]
    if kind != "str":
        text = " ".join(text.split())  # `!!int >` may go over many lines; a problem is one
        return {"null": "nothing", "bool": f"the truth value {text}"}.get(kind, text)
    number = re.fullmatch(r"([-+]?\d+)(\.\d*)?[eE]([-+]?)(\d+)", text)
    if not number or node.style:
        return f"the text {text!r}"
    whole, fraction, sign, power = number.groups()
    lack = "a sign" if fraction else "a dot"
    return f"the text {text!r}; YAML needs {lack}: {whole}{fraction or '.0'}e{sign or '+'}{power}"


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _refuse(why: str, at: Any) -> NoReturn:
    raise ConstructorError(None, None, why, at.start_mark)
