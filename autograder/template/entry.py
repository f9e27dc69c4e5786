"""An assignment's entry, put into the text of course.yml without touching the rest of it."""

import json
from typing import Any

import yaml

ASSIGNMENTS = "assignments"
_STEP = 2  # spaces a level, in the entry


class NoPlace(Exception):
    """The text has no place for an entry: the line, from 1, and what to do there."""

    def __init__(self, line: int, advice: str) -> None:
        super().__init__(advice)
        self.line = line


def with_entry(text: str, name: str, entry: str) -> str:
    """The text of a course.yml with an entry behind the last assignment, indented as that one.

    name: its id; entry: its lines, the id indented by two spaces and all below it by two more a
    level. All other lines, comments among them, stay as they are. Raises NoPlace, and
    yaml.YAMLError.
    """
    lines = text.splitlines(keepends=True)
    key, value = _assignments(text, len(lines))
    column, step = key.start_mark.column + _STEP, _STEP
    at = key.start_mark.line + 1
    if not _is_nothing(value):
        if not _is_block(value):
            raise NoPlace(at, f"write `{ASSIGNMENTS}` as lines, not in braces")
        for each, _ in value.value:
            if each.value == name:
                raise NoPlace(
                    each.start_mark.line + 1, f"{name} stands here already: take another name"
                )
        first, inside = value.value[0]
        column = first.start_mark.column
        step = inside.value[0][0].start_mark.column - column if _is_block(inside) else _STEP
        at = _end(value)
    at = _behind_comments(lines, at, column)
    line_end = "\r\n" if "\r\n" in text else "\n"
    if not lines[at - 1].endswith("\n"):
        lines[at - 1] += line_end
    added = (_indented(each, column, step) + line_end for each in entry.splitlines())
    return "".join([*lines[:at], *added, *lines[at:]])


def _assignments(text: str, count: int) -> tuple[Any, Any]:
    top: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, value in top.value if _is_block(top) else ():
        if key.value == ASSIGNMENTS:
            return key, value
    raise NoPlace(
        max(count, 1), f"there is no `{ASSIGNMENTS}`: write a line `{ASSIGNMENTS}:` at the end"
    )


def _is_block(node: Any) -> bool:
    return isinstance(node, yaml.MappingNode) and bool(node.value) and not node.flow_style


def _is_nothing(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and not node.value


def _end(node: Any) -> int:
    """The number of lines up to the end of what stands at a node.

    A block of its own ends where the next key begins: its last leaf ends where it seems to.
    """
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        node = node.value[-1]
        node = node[1] if isinstance(node, tuple) else node
    return int(node.end_mark.line) + bool(node.end_mark.column)


def _behind_comments(lines: list[str], at: int, column: int) -> int:
    """The place behind comments that are indented as what stands before them."""
    for number, line in enumerate(lines[at:], start=at + 1):
        said = line.strip()
        if said and (said[0] != "#" or line.index("#") < column):
            break
        at = number if said else at
    return at


def _indented(line: str, column: int, step: int) -> str:
    said = line.lstrip(" ")
    level = (len(line) - len(said)) // _STEP - 1
    return " " * (column + level * step) + said


def scalar(text: str) -> str:
    """A text as it may stand behind a key: quoted where YAML would read something else."""
    try:
        plain = yaml.safe_load(f"key: {text}") == {"key": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
