"""What a release must not give away: solutions, hidden checks, the secret, unlisted files."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from autograder.checking import CHECKS
from autograder.notebooks import Source, SourceCell
from autograder.release.retold import Piece, Words, pieces, without_comments
from autograder.release.texts import texts

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
    telling: dict[str, str] = {}
    retold: dict[Piece, str] = {}
    for what, text, numbers in _programs(source):
        lines = (text.splitlines()[number - 1].strip() for number in numbers)
        telling |= dict.fromkeys(filter(_is_telling, lines), what)
        retold |= dict.fromkeys(pieces(text, numbers), what)
    for cell in source.cells:
        if cell.role in ("solution", "manual") and cell.kind == "markdown":  # the answer is a text
            told = map(str.strip, cell.source.splitlines())
            telling |= dict.fromkeys(filter(_is_telling, told), _solution(cell))
    if secret:
        telling[secret] = "the course's secret"
    sentences = [each for said in answers for each in _SENTENCE.split(said) if _is_telling(each)]
    for name, data in files.items():
        found = list(texts(name, data))
        text = "\n".join(each for _, each in found)
        copied = [
            f"{name}: {what}: {line if line != secret else '(not shown)'}"
            for line, what in telling.items()
            if line in text
        ]
        problems += copied or _retold(name, found, retold)
        prose = " ".join(text.split())  # lines are broken anew when a text is moved
        problems += [f"{name}: an answer: {each}" for each in sentences if each in prose]
    return problems


def _retold(name: str, found: list[tuple[str, str]], retold: Mapping[Piece, str]) -> Iterator[str]:
    """What a file tells with other names or in another layout."""
    if name.endswith((".ipynb", ".json")):  # all words of it stand in its strings
        found = [each for each in found if each[0]] or found
    found += [(place, without_comments(text)) for place, text in found if "#" in text]
    together = Words("\n¶\n".join({text: None for _, text in found}))
    for piece, what in retold.items():
        if together.find(piece):
            said = ((place, Words(text).find(piece)) for place, text in found)
            place, words = next(((place, each) for place, each in said if each), ("", ""))
            where = f" ({place})" if place else ""
            yield f"{name}{where}: {what}, {piece.line!r}, told as: {words}"


def _programs(source: Source) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """What students must not get: whose it is, the text around it, and its lines in that."""
    for cell in source.cells:
        if cell.role in ("solution", "manual") and cell.kind == "code":
            yield _solution(cell), cell.source, tuple(_solution_lines(cell.source))
    text = (source.path.parent / CHECKS).read_text(encoding="utf-8")
    yield f"a line of {CHECKS}", text, tuple(sorted(set(_body_lines(text))))


def _solution(cell: SourceCell) -> str:
    return f"a line of the solution {cell.name!r}"


def _solution_lines(source: str) -> Iterator[int]:
    inside = _BEGIN not in source  # then all of it is the answer
    for number, line in enumerate(source.splitlines(), start=1):
        if _BEGIN in line or _END in line:
            inside = _BEGIN in line
        elif inside:
            yield number


def _is_telling(line: str) -> bool:
    return len(line) >= _TELLING_CHARACTERS and line not in _EVERYONES


def _body_lines(text: str) -> Iterator[int]:
    """Lines of the bodies of functions, without the docstrings, which students may read."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body[1:] if ast.get_docstring(node) else node.body:
                yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
