"""The rooms of the house: who may import whom, and how long a file may be."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograder"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "variants" not in path.parts)

# A module, or a folder, and all of ours that it may import; what is not named may import anything
# but the command line.
MAY_IMPORT = {
    "sandbox": {"sandbox"},
    "handout": set(),
    "lines": set(),
    "course": {"lines"},
    "result": set(),
    "draw": set(),
    "secret": set(),
    "student": {"result", "sandbox"},
    "checks": {"agree", "draw", "handout", "numbers", "sandbox", "student", "trained"},
    "weights": {"handout", "sandbox", "secret", "student"},
    "agree": {"handout", "result", "sandbox", "student", "weights"},
    "source": {"student"},
    "given": {"handout", "source"},
    "notebook": {"given", "magics", "percent", "source", "student"},
    "banned": {"magics", "student"},
    "blame": {"handout", "result", "sandbox", "student"},
    "remote": {"blame", "result", "sandbox", "student"},
    "numbers": set(),
    "rebuilt": {"grading", "notebook"},
    "nbgrader": {
        *("course", "export", "grading", "plugin", "rebuilt", "result", "sandbox", "secret"),
    },
    "trained": {"result", "student"},
    "faults": set(),
    "components": {"notebook", "sandbox", "source", "student"},
    "bank": {"components", "evidence", "remote", "sandbox"},
    "evidence": {"agree", "handout", "result", "sandbox", "student"},
    "diagnosis": {"bank", "components", "evidence", "sandbox"},
    "symptoms": {"evidence", "handout", "result", "sandbox", "student", "symptoms"},
    "judge": {"components", "course", "diagnosis", "plugin", "result"},
    "export": {"components", "course", "export", "mutants", "prove", "result", "scripts"},
}
OUTSIDE = {
    "sandbox/server.py": {"torch"},
    "sandbox/session.py": {"torch"},
    "sandbox/fork.py": {"torch"},
    "sandbox/wire.py": {"torch", "safetensors"},
    "sandbox/modules.py": {"torch"},
    "sandbox/refusal.py": {"torch"},
    "sandbox/elsewhere.py": {"torch"},
    "handout/checks/recorded.py": {"torch"},
    "handout/checks/compare.py": {"torch"},
    "handout/checks/weights.py": {"torch"},
    "handout/given.py": {"torch"},
}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:  # students have it under another name
                assert path.parent.name == "checks", f"{path}: relative import"
                continue
            names |= {f"{node.module}.{each.name}" for each in node.names}
    return names


def ours(path: Path) -> set[str]:
    found = {name.split(".")[1] for name in imported(path) if name.startswith("autograder.")}
    return found - {"__version__"}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_keep_to_the_plan(path):
    allowed = MAY_IMPORT.get(room(path))
    if allowed is not None:
        assert ours(path) <= allowed
    assert "cli" not in ours(path) or room(path) == "cli"


@pytest.mark.parametrize("name", sorted(OUTSIDE))
def test_what_lies_behind_the_walls_or_with_students_needs_little(name):
    names = {each.split(".")[0] for each in imported(PACKAGE / name)}
    theirs = names - set(sys.stdlib_module_names) - {"autograder"}
    # sandlock is asked for where it stands around the server already, and nowhere else
    assert theirs <= OUTSIDE[name]


def test_no_circles():
    uses = {}
    for path in FILES:
        uses.setdefault(room(path), set()).update(ours(path) - {room(path)})
    order = []
    while uses:
        free = sorted(name for name, needs in uses.items() if needs <= set(order))
        assert free, f"a circle among {sorted(uses)}"
        order += free
        for name in free:
            del uses[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_one_concept_a_file(path):
    # A list of checks is as long as the assignment, one of faults as what can go wrong.
    if room(path) not in ("checks", "faults"):
        assert len(path.read_text().splitlines()) <= 315


def test_only_the_command_line_prints():
    for path in FILES:
        if room(path) in ("cli", "handout"):
            continue
        calls = (
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        )
        names = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
        assert "print" not in names, path


def test_every_command_is_in_the_readme():
    tree = ast.parse((PACKAGE / "cli" / "__init__.py").read_text())
    commands = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("command" in ast.unparse(each) for each in node.decorator_list)
    }
    assert commands == {
        *("release", "grade", "check", "doctor", "demo", "verify", "margins", "prove"),
    }
    readme = (ROOT / "README.md").read_text()
    assert all(f"autograder {name}" in readme or f"make {name}" in readme for name in commands)
