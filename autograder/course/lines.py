"""YAML that knows its lines: the text of course.yml as plain data, and what stands where in it."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

import yaml
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.reader import ReaderError

FILE = "course.yml"
_MAX_BYTES = 2**20  # far above any course; much more would keep PyYAML busy for minutes
Problems = list[tuple[int, str]]  # the line, and the sentence about it


class ManifestError(Exception):
    """What is wrong with course.yml: all of it, one problem a line."""


class _Loader(yaml.SafeLoader):
    """PyYAML without aliases: a few lines of them can stand for gigabytes, or for themselves."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.get_event()  # type: ignore[no-untyped-call]
            _refuse("an alias is not allowed; repeat the value", event)
        return super().compose_node(parent, index)


def read_yaml(path: Path, keys: str, problems: Problems) -> tuple[yaml.Node, dict[str, Any]]:
    """The top node of a file, and its plain data. `keys`: those it may have, in words."""
    try:
        with open(path, "rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise ManifestError(f"{FILE}: must be at most {_MAX_BYTES} bytes, is longer")
        text = raw.decode()
        top = _composed(text)
        if not isinstance(top, yaml.MappingNode):
            got = written(top) if top else "nothing"
            raise ManifestError(f"{FILE}:1: must be a mapping (keys: {keys}), got {got}")
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
        where = f"{FILE}:{line}" if line else FILE
        raise ManifestError(f"{where}: cannot be read as YAML: {why}") from error


@lru_cache(maxsize=1)
def _composed(text: str) -> yaml.Node | None:
    """The top node; kept, since a run reads its course more than once, and that takes time."""
    return yaml.compose(text, Loader=_Loader)


def _plain(node: Any, problems: Problems, *above: str) -> Any:
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
            problems.append((line_of(key), twice))
        match keys:
            case (
                ("root",)
                | ("assignments", _, "id")
                | ("assignments", _, "items" | "manual", _, "id")
            ):
                problems.append((line_of(key), f"{'.'.join(keys)} is not a known key"))
        lines.setdefault(key.value, line_of(key))
        plain[key.value] = _plain(value, problems, *keys)
    return plain


def place(root: Path, *keys: str) -> str:
    """Where an entry of the course.yml in `root` stands, for a message to begin with."""
    line, _, _ = find(read_yaml(root / FILE, "", [])[0], keys)
    return f"{FILE}:{line}: {'.'.join(keys)}"


def find(node: Any, at: tuple[int | str, ...]) -> tuple[int, list[str], Any]:
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
            line = line_of(node if isinstance(node, yaml.ScalarNode) else key)
    return line, keys, node


def written(node: yaml.Node) -> str:
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


def line_of(node: Any) -> int:
    """The line on which a node begins, from 1."""
    return int(node.start_mark.line) + 1


def _refuse(why: str, at: Any) -> NoReturn:
    raise ConstructorError(None, None, why, at.start_mark)
