"""A part that another assignment is given is known again, and nobody's own is taken for it."""

import time
from pathlib import Path

import pytest

from autograder.asking import PASTED, Cell
from autograder.course import source_path
from autograder.notebooks import banned_uses, known_by, parts_elsewhere, read_source

ROOT = Path(__file__).resolve().parents[2]
GIVEN = '''
import torch

def steps(size, start=0):
    """The first numbers, and what is between them."""
    numbers = torch.arange(start, start + size, dtype=torch.float64)
    between = numbers[1:] - numbers[:-1]
    return torch.stack([numbers[:-1], between.cumsum(0), between.flip(0)], dim=-1)

class Walk(torch.nn.Module):
    def forward(self, x):
        return steps(x.size(0)).mul(x)
'''
PASTE = GIVEN.replace("import torch\n", "")
KNOWN = known_by(GIVEN, frozenset({"steps", "Walk"}))


def found(source):
    return banned_uses([Cell("its", source)], [], KNOWN)


@pytest.mark.parametrize(
    "source",
    [
        PASTE,
        PASTE.replace("numbers", "row").replace("between", "gap"),
        PASTE.replace('    """The first numbers, and what is between them."""\n', ""),
        PASTE.replace("size, start=0", "size: int, start: int=0"),
        PASTE.replace("steps", "pace"),
        PASTE.replace("    numbers =", "    ()\n    numbers =").replace("return", "pass; return"),
    ],
    ids=["word for word", "other names", "no docstring", "annotated", "under another name", "idle"],
)
def test_a_pasted_part_and_what_uses_it_are_found(source):
    assert found(source) == dict.fromkeys({"Walk", "pace" if "pace" in source else "steps"}, PASTED)


@pytest.mark.parametrize(
    "source",
    [
        PASTE.replace("cumsum", "cumprod"),
        PASTE.replace("dim=-1", "dim=0"),
        PASTE.partition("class")[2].join(["class", ""]),  # too short to be known again
        "def steps(size): return list(range(size))",
    ],
    ids=["another call", "another constant", "short", "its own"],
)
def test_what_is_somebodys_own_is_left_alone(source):
    assert found(source) == {}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "solutions").glob("*/[rw]*/*.py")), ids=lambda path: path.stem
)
def test_no_sample_is_taken_for_a_given_part(path):
    source = read_source(source_path(ROOT, path.parents[1].name))
    known = known_by(source.given, parts_elsewhere(source))
    assert banned_uses([Cell("its", path.read_text())], [], known) == {}


def test_what_an_assignment_is_given_itself_may_stand_in_a_solution(tmp_path):
    write = '# %% given="setup"\nfrom given import steps\n\n# %% solution="walk"\n'
    write += "### BEGIN SOLUTION\n{}\n### END SOLUTION\n"
    path = tmp_path / "walks" / "walks.py"
    path.parent.mkdir()
    (tmp_path / "given.py").write_text(GIVEN)
    path.write_text(write.format(PASTE.partition("class")[2].join(["class", ""])))
    assert parts_elsewhere(read_source(path)) == {"Walk"}


def test_functions_in_functions_are_read_once():
    depth = 90
    heads = "\n".join(f"{' ' * at}def f{at}():" for at in range(depth))
    text = f"{heads}\n{' ' * depth}" + "x = 1; " * 8_000 + "pass\n"
    started = time.process_time()
    assert not found(text)
    assert time.process_time() - started < 3


def test_a_part_pasted_into_a_function_is_found():
    inside = "\n".join(f"    {each}" for each in PASTE.splitlines())
    source = f"def make():\n{inside}\n    return Walk\nMine = make()\n"
    assert found(source) == dict.fromkeys({"make", "Mine"}, PASTED)
