"""Whether a source's cells are marked right, by the line: what a slip would hand out or leave out.

Looked at in the text of the file, for a person has to find the line there.
"""

import ast
import re
import textwrap
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

__all__ = ["ROLES", "check_marks", "place_of"]

ROLES = ("given", "solution", "check", "manual", "figure")
_KEYS = (*ROLES, "active")  # what a cell may bear behind its %%, beside what other programs know
_CELL = re.compile(r"#[ \t]*%%(.*)")
_OPTION = re.compile(rf'\b({"|".join(ROLES)})="([^"]*)"')
_KEY = re.compile(r'\b(\w+)="[^"]*"')
_MARK = re.compile(r"\s*(?:# )?(#+ *(BEGIN|END) SOLUTION\b.*)", re.IGNORECASE)
_MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


def check_marks(path: Path, text: str) -> None:
    """Raise ValueError for the first mark that is wrong; says file, line and what to do."""
    cell = _Cell(path, 0, "")
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _CELL.match(line):
            cell.close()
            cell = _Cell(path, number, found[1])
            for role, name in cell.roles:
                first = seen.setdefault((role, name), number)
                if first != number:
                    said = f'a second cell has {role}="{name}"; the first is in line {first}'
                    raise ValueError(f"{path}:{number}: {said}: give one of them another name")
        else:
            cell.take(number, line)
    cell.close()


def place_of(path: Path, role: str, name: str) -> str:
    """Where a cell is marked so, for a message to begin with."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if (found := _CELL.match(line)) and (role, name) in _OPTION.findall(found[1]):
            return f'{path}:{number}: {role}="{name}"'
    return f'{path}: {role}="{name}"'


def _mark(line: str) -> tuple[str, str] | None:
    """A mark as it is written in a line, and which it is meant to be: BEGIN or END."""
    if found := _MARK.fullmatch(line):
        return found[1].strip(), found[2].upper()
    written = line.strip()
    close = get_close_matches(written.upper(), _MARKS, 1, 0.9) if written[:1] == "#" else []
    return (written, close[0].split()[1]) if close else None


class _Cell:
    """A cell of the source while its lines are read."""

    def __init__(self, path: Path, line: int, options: str) -> None:
        self._path, self._line = path, line
        self._raw = "[raw]" in options
        self.roles: list[tuple[str, str]] = _OPTION.findall(options)
        self._lines: list[str] = []
        self._marked = False
        for key in _KEY.findall(options):
            if key not in _KEYS and (meant := get_close_matches(key, _KEYS, 1, 0.75)):
                self._fail(line, f"{key}= is no role of a cell: did you mean {meant[0]}=?")
        self._open: int | None = None  # the line of the BEGIN that waits for its END

    def take(self, number: int, line: str) -> None:
        self._lines.append(line)
        found = _mark(line)
        if found is None or self._raw:
            return
        mark, which = found
        if mark != f"### {which} SOLUTION":
            self._fail(number, f"{mark!r} must be '### {which} SOLUTION', and nothing else")
        if not any(role in ("solution", "manual") for role, _ in self.roles):
            what = "is in a cell without a role that students fill in"
            self._fail(number, f'{mark} {what}: mark the cell solution="NAME", behind its %%')
        if which == "BEGIN" and self._open:
            what = f"{mark} before the ### END SOLUTION of line {self._open}"
            self._fail(number, f"{what}: end the one before the other begins")
        if which == "END" and not self._open:
            what = f"{mark} without a ### BEGIN SOLUTION before it in its cell"
            self._fail(number, f"{what}: put it above the first line of the answer")
        self._open, self._marked = number if which == "BEGIN" else None, True

    def close(self) -> None:
        if self._open:
            what = "### BEGIN SOLUTION without an ### END SOLUTION in its cell"
            self._fail(self._open, f"{what}: put it below the last line of the answer")
        for role, name in self.roles:
            if role == "check":
                self._is_called(name)
            if role == "solution" and len(self.roles) == 1 and not self._marked:
                what = f'the cell of solution="{name}" would be handed out empty, without its head'
                what += ": put ### BEGIN SOLUTION above what students write"
                self._fail(self._line, f"{what}, and ### END SOLUTION below")

    def _is_called(self, name: str) -> None:
        """A cell that checks an item calls that check, and no other."""
        written = [line for line in self._lines if line.strip()]
        if all(line.startswith("#") for line in written):  # it is active in the notebook alone
            written = [re.sub("^# ?", "", line) for line in written]
        try:
            tree = ast.parse(textwrap.dedent("\n".join(written)))
        except SyntaxError as error:
            self._fail(self._line, f"the cell of check={name!r} is no Python: {error.msg}")
        called = [
            each.args[0].value
            for each in ast.walk(tree)
            if isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id == "check"
            and each.args
            and isinstance(each.args[0], ast.Constant)
            and isinstance(each.args[0].value, str)
        ]
        if called != [name]:
            calls = ", ".join(f'check("{each}")' for each in called) or "no check"
            what = f'the cell is marked check="{name}" and calls {calls}'
            said = "let both name one item of course.yml, and the cell call nothing else"
            self._fail(self._line, f"{what}: {said}")

    def _fail(self, number: int, said: str) -> NoReturn:
        raise ValueError(f"{self._path}:{number}: {said}")
