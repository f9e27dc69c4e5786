"""The rooms of the house: who may import whom, and how long a file may be."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from autograder.cli import app

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograder"
EXAMPLE = PACKAGE / "template" / "assignment"  # is copied, and no part of the engine
FILES = sorted(path for path in PACKAGE.rglob("*.py") if EXAMPLE not in path.parents)

# From the ground up: a room may import those before it, through their doors (`__init__.py`), and
# nothing else of ours.
ROOMS = (
    "sandbox",  # where student code runs
    "handout",  # shipped to students verbatim
    "course",  # the manifest, the secret, the result file
    "asking",  # a submission as a check sees it
    "notebooks",  # sources and submissions, read with bounds
    "checking",  # draw, ask both, compare
    "diagnosis",  # which mistakes explain the answers
    "repair",  # which line a mistake stands in
    "grading",  # one submission; a class
    "release",  # what students get
    "collect",  # what they hand in, wherever they do
    "export",  # gradebook, pages
    "similar",  # programs to be read side by side
    "nbgrader",  # nbgrader's own road
    "proof",  # that the grader works
    "template",  # a new assignment
    "bundle",  # what leaves the house whole
    "cli",  # the verbs
)
# Nothing of the sandbox is loaded that does not have to be, there or behind the walls, and what is
# handed out is not ours to arrange: their modules are imported one by one.
WITHOUT_A_DOOR = ("sandbox", "handout")
ISLANDS = {"sandbox": {"sandbox"}, "handout": set()}  # and all that they may import
OUTSIDE = {
    "sandbox/server.py": {"torch"},
    "sandbox/session.py": {"torch"},
    "sandbox/fork.py": {"torch"},
    "sandbox/wire.py": {"torch"},
    "sandbox/values.py": {"torch"},
    "sandbox/modules.py": {"torch"},
    "sandbox/made.py": {"torch"},
    "sandbox/refusal.py": {"torch"},
    "sandbox/elsewhere.py": {"torch"},
    "handout/checks/recorded.py": {"torch"},
    "handout/checks/compare.py": {"torch"},
    "handout/checks/weights.py": {"torch"},
}
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))


def room(path):
    return path.relative_to(PACKAGE).parts[0]


def imported(path):
    """Every name that a file imports: the module, and what of it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((each.name, None) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:  # students have it under another name
                assert path.parent.name == "checks", f"{path}: relative import"
                continue
            yield from ((node.module, each.name) for each in node.names)


def test_every_room_is_in_the_plan():
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(ROOMS)


@every_file
def test_imports_keep_to_the_plan(path):
    if path.parent == PACKAGE:  # the package itself
        assert [module for module, _ in imported(path)] in ([], ["os"])
        return
    here = room(path)
    allowed = ISLANDS.get(here, set(ROOMS[: ROOMS.index(here) + 1]))
    for module, name in imported(path):
        top, _, rest = module.partition(".")
        if top != "autograder":
            continue
        where, _, inside = rest.partition(".")
        assert where in allowed, f"{here} imports {module}"
        if where != here and where not in WITHOUT_A_DOOR:
            assert not inside, f"{module} is not the door of {where}"
            assert name in importlib.import_module(module).__all__, f"{where} does not offer {name}"


@pytest.mark.parametrize("name", sorted(OUTSIDE))
def test_what_lies_behind_the_walls_or_with_students_needs_little(name):
    names = {module.partition(".")[0] for module, _ in imported(PACKAGE / name)}
    theirs = names - set(sys.stdlib_module_names) - {"autograder"}
    # sandlock is asked for where it stands around the server already, and nowhere else
    assert theirs <= OUTSIDE[name]


@pytest.mark.parametrize("name", [each for each in ROOMS if each not in (*WITHOUT_A_DOOR, "cli")])
def test_a_door_offers_what_others_take_and_says_what_the_room_is_for(name):
    door = importlib.import_module(f"autograder.{name}")
    assert door.__doc__
    files = [*FILES, *(ROOT / "solutions").glob("**/*.py"), ROOT / "nbgrader_config.py"]
    outside = [path for path in files if PACKAGE / name not in path.parents]
    text = "\n".join(path.read_text() for path in outside)
    for each in door.__all__:
        assert hasattr(door, each)
        assert re.search(rf"\b{each}\b", text), f"nobody takes {each} of {name}"


def test_the_course_comes_in_by_the_doors_that_are_made_for_it():
    doors = {"autograder.checking", "autograder.diagnosis.symptoms"}
    for path in (ROOT / "solutions").rglob("*.py"):
        if path.parent.name not in ("hostile", "right", "wrong"):
            used = {
                node.module
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.ImportFrom) and node.module and not node.level
            }
            assert {each for each in used if each.startswith("autograder")} <= doors, path


@every_file
def test_one_concept_a_file(path):
    assert len(path.read_text().splitlines()) <= 300


def test_tests_are_short_enough_to_be_read():
    long = {path.name for path in (ROOT / "tests").rglob("*.py") if lines(path) > 400}
    assert not long


def lines(path):
    return len(path.read_text().splitlines())


def test_only_the_command_line_prints():
    for path in FILES:
        if room(path) in ("cli", "handout") or path.parent.name == "attacks":
            continue
        calls = (
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        )
        names = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
        assert "print" not in names, path


def test_every_command_is_in_the_readme():
    commands = {each.callback.__name__ for each in app.registered_commands}
    assert commands == {
        *("new", "release", "bundle", "diff", "samples", "verify", "margins", "prove"),
        *("collect", "grade", "pages", "export", "similar", "check", "doctor", "demo"),
    }
    readme = (ROOT / "README.md").read_text()
    assert all(f"autograder {name}" in readme or f"make {name}" in readme for name in commands)
