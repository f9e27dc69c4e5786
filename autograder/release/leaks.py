"""What a release must not give away: solutions, hidden checks, the secret, unlisted files."""

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograder.checking import CHECKS
from autograder.notebooks import Source

_BEGIN, _END = "### BEGIN SOLUTION", "### END SOLUTION"
# Shorter lines are everyone's: `return area`, `else:`; and so are these.
_TELLING_CHARACTERS = 14
_SENTENCE = re.compile(r"(?<=[.?!:]) ")
_EVERYONES = {"with torch.no_grad():", "super().__init__()"}


def leaks(
    files: Mapping[str, bytes],
    source: Source,
    listed: set[str],
    secret: str | None,
    answers: Sequence[str] = (),
) -> list[str]:
    """What a release must not hold and does: one sentence each.

    answers: paragraphs that students do not get with the notebook; each of their sentences tells.
    """
    problems = [f"{name}: not a listed file" for name in sorted(files.keys() - listed)]
    telling = {
        line: f"a line of the solution {cell.name!r}"
        for cell in source.cells
        if cell.role in ("solution", "manual")
        for line in _solution_lines(cell.source)
    }
    checks = (source.path.parent / CHECKS).read_text(encoding="utf-8")
    telling |= {line: f"a line of {CHECKS}" for line in _code_lines(checks)}
    if secret:
        telling[secret] = "the course's secret"
    sentences = [each for said in answers for each in _SENTENCE.split(said) if _is_telling(each)]
    for name, data in files.items():
        text = data.decode(errors="replace")
        if name.endswith((".ipynb", ".json")):  # looked at as written and as meant
            text = "\n".join([text, *_strings(json.loads(text))])
        for line, what in telling.items():
            if line in text:
                problems.append(f"{name}: {what}: {line if line != secret else '(not shown)'}")
        prose = " ".join(text.split())  # lines are broken anew when a text is moved
        problems += [f"{name}: an answer: {each}" for each in sentences if each in prose]
    return problems


def _strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, dict):
        yield from _strings([*value, *value.values()])


def _solution_lines(source: str) -> Iterator[str]:
    inside = _BEGIN not in source  # then all of it is the answer: a text
    for line in source.splitlines():
        if _BEGIN in line or _END in line:
            inside = _BEGIN in line
        elif inside and _is_telling(line.strip()):
            yield line.strip()


def _is_telling(line: str) -> bool:
    return len(line) >= _TELLING_CHARACTERS and line not in _EVERYONES


def _code_lines(text: str) -> Iterator[str]:
    """Lines of the bodies of functions, without the docstrings, which students may read."""
    for node in ast.walk(ast.parse(textwrap.dedent(text))):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            for statement in body:
                for line in text.splitlines()[statement.lineno - 1 : statement.end_lineno]:
                    if _is_telling(line.strip()):
                        yield line.strip()
