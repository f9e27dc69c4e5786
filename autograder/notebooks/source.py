"""The instructor's source of an assignment: the story, what is given, the reference, the checks."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jupytext

from autograder.asking import Cell
from autograder.course import text_of
from autograder.notebooks.marks import ROLES, check_marks

READY = "ready"  # the name of a cell that a release puts first, and that grading leaves out
GIVEN = "given.py"  # beside the assignments' folders: parts of earlier ones, as later ones get them


@dataclass(frozen=True)
class SourceCell:
    """A cell of the instructor's source. `active`: it runs in the notebook alone."""

    kind: str  # "code" or "markdown"
    source: str
    role: str | None = None  # one of ROLES
    name: str | None = None
    active: bool = False

    @property
    def grade_id(self) -> str | None:
        """nbgrader's id: its own for what is graded, the role before the name otherwise."""
        if self.role in (None, "check", "manual"):
            return self.name
        return f"{self.role}_{self.name}"


@dataclass(frozen=True)
class Source:
    """An assignment's source: the story, what is given, the reference, the checks.

    path: of its file, beside which lies all else that there is to the assignment; given: the text
    of `solutions/given.py`, which assignments share.
    """

    path: Path
    cells: tuple[SourceCell, ...]
    given: str = ""

    @property
    def assignment(self) -> str:
        """The id of the assignment."""
        return self.path.stem

    @cached_property
    def reference(self) -> tuple[Cell, ...]:
        """What is given and the solutions, in their order."""
        return tuple(
            Cell(cell.name or "", cell.source, cell.role == "solution")
            for cell in self.cells
            if cell.role in ("given", "solution") and not cell.active
        )

    @cached_property
    def defined_in(self) -> dict[str, str]:
        """Which solution cell defines a name, by name."""
        return {
            name: cell.name
            for cell in self.reference
            if cell.solution
            for name in _defined(ast.parse(cell.source))
        }

    def defines(self, cell: str) -> list[str]:
        """The names that a solution cell defines."""
        return [name for name, where in self.defined_in.items() if where == cell]

    @cached_property
    def parameters(self) -> dict[str, list[str]]:
        """The parameters of each function that a solution cell defines.

        Those of a class's methods stand under `Class.method`, without `self`.
        """
        found = {}
        for cell in self.reference:
            for node in ast.parse(cell.source).body if cell.solution else ():
                if isinstance(node, ast.FunctionDef):
                    found[node.name] = _arguments(node)
                elif isinstance(node, ast.ClassDef):
                    for method in node.body:
                        if isinstance(method, ast.FunctionDef):
                            found[f"{node.name}.{method.name}"] = _arguments(method)[1:]
                    found[node.name] = found.get(f"{node.name}.__init__", [])
        return found


def _arguments(node: ast.FunctionDef) -> list[str]:
    return [each.arg for each in node.args.args]


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def read_source(path: Path) -> Source:
    """Read an assignment's source, with the given parts that lie beside its folder.

    A raw cell is a note of the instructor's: it stays in the file. Raises ValueError on a cell with
    a role but no name, and on one that is marked wrong.
    """
    text = text_of(path)
    check_marks(path, text)
    notebook = jupytext.reads(text, fmt="py:percent")
    cells = []
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "raw":
            continue
        roles = [role for role in ROLES if role in cell.metadata]
        if len(roles) > 1 or any(not isinstance(cell.metadata[role], str) for role in roles):
            raise ValueError(f'{path}: cell {number} must have one role, as in solution="area"')
        role = roles[0] if roles else None
        name = cell.metadata[role] if role else None
        active = cell.metadata.get("active") == "ipynb"
        cells.append(SourceCell(cell.cell_type, cell.source, role, name, active))
    given = path.parents[1] / GIVEN
    parts = text_of(given) if given.is_file() else ""
    return Source(path, tuple(cells), parts)
