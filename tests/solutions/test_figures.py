"""The scripts beside the pictures draw what lies there; another processor's digits may differ."""

import re
import shutil
import subprocess
import sys

import pytest
from reference import ROOT

SOLUTIONS = ROOT / "solutions"
SCRIPTS = sorted(SOLUTIONS.glob("*/figures/draw.py"))
# The way of a line, which loses points that do not show; what hangs on it; and all numbers.
DIGITS = re.compile(rb' d="[^"]*"|(?<=#)p\w+|id="p\w+"|-?\d+(\.\d+)?')


def shapes(folder):
    """The pictures of a folder, without their lines' points and their numbers."""
    return {path.name: DIGITS.sub(b"", path.read_bytes()) for path in folder.glob("*.svg")}


def test_every_assignment_has_one():
    assert {path.parents[1].name for path in SCRIPTS} == {
        path.parents[1].name for path in SOLUTIONS.glob("*/figures/*.svg")
    }


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.parents[1].name)
def test_it_draws_the_pictures_that_lie_beside_it(script, tmp_path):
    name = script.parents[1].name
    (tmp_path / name / "figures").mkdir(parents=True)
    for file in ("drawing.py", "matplotlibrc", f"{name}/{name}.py", f"{name}/figures/draw.py"):
        shutil.copy(SOLUTIONS / file, tmp_path / file)
    drawn = tmp_path / name / "figures"
    subprocess.run([sys.executable, drawn / "draw.py"], check=True, cwd=tmp_path)
    assert shapes(drawn) == shapes(script.parent)
