"""Whatever is killed, whenever: nothing is lost, doubled or half-written, and nobody is left."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

NAME = "squares"
PROGRAM = Path(sys.executable).with_name("autograder")
SEED = 20270208
STUDENTS = 8
KILLS = int(os.environ.get("KILLS", "6"))  # a few seconds each; KILLS=50 before a release
# What the gradebook holds of a class, without numbers that it gives to its rows.
SECONDS = re.compile(rb"Time: .*|<td class=\"sum\">[0-9.]+</td></tr>")  # that grading took
SCORES = """
    SELECT a.student_id, c.name, g.auto_score, g.manual_score, g.needs_manual_grade, a.timestamp,
           n.late_submission_penalty
    FROM grade g JOIN base_cell c ON c.id = g.cell_id
    JOIN submitted_notebook n ON n.id = g.notebook_id
    JOIN submitted_assignment a ON a.id = n.assignment_id ORDER BY 1, 2
"""


@pytest.fixture(scope="module")
def undisturbed(released, tmp_path_factory):
    """A class of a few that was graded once, and the seconds that this took."""
    root = tmp_path_factory.mktemp("undisturbed") / "course"
    fresh(released, root)
    started = time.monotonic()
    assert finish(start(root, root.parent)) == ""
    return root, time.monotonic() - started


def fresh(released, root):
    shutil.copytree(released, root)
    (root / ".autograder_secret").write_text("f" * 32)  # the same for all
    # What explains a mistake depends on how much time there is, on a machine that may be busy.
    shutil.rmtree(root / "submitted" / "bob")
    kinds = sorted((root / "submitted").iterdir())
    for number in range(STUDENTS - len(kinds)):
        shutil.copytree(kinds[number % len(kinds)], root / "submitted" / f"s{number}")


def start(root, temporary):
    (temporary / "tmp").mkdir(exist_ok=True)
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        [PROGRAM, "grade", NAME, "--jobs", "2"],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PATH": path, "TMPDIR": str(temporary / "tmp"), "COLUMNS": "200"},
        start_new_session=True,
    )


def finish(process):
    """What went wrong; nothing when all were graded."""
    _, said = process.communicate(timeout=170)
    return "" if process.returncode == 0 else f"status {process.returncode}: {said}"


def left_of(grader, temporary):
    """Its process, its workers, and what runs for them: by what they are."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"alembic" in (folder / "cmdline").read_bytes():  # nbgrader's, and soon at its end
                continue
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
            about = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        state, parent, session = about[0], int(about[1]), int(about[3])
        if state == "Z":
            continue
        if str(temporary / "tmp") in command:
            found[int(folder.name)] = "server"
        elif session == grader:
            found[int(folder.name)] = "worker" if parent == grader else "grader"
    return found


def nobody_is_left(grader, temporary):
    until = time.monotonic() + 30
    while (left := left_of(grader, temporary)) and time.monotonic() < until:
        time.sleep(0.05)
    return not left


def results(root):
    """Every result file, without how long it took; each must be a whole one."""
    files = sorted((root / "results").glob(f"{NAME}/*"))
    texts = {path.name: json.loads(path.read_text()) for path in files if path.suffix == ".json"}
    return {name: text | {"seconds": 0} for name, text in texts.items()}


def everything(root):
    """All that a class leaves: results, scores, and the bytes of pages and notebooks."""
    with sqlite3.connect(root / "gradebook.db") as gradebook:
        scores = gradebook.execute(SCORES).fetchall()
    assert len(scores) == STUDENTS * 2  # an item and a report: nothing twice
    folders = ("feedback", "autograded", "results")
    paths = (path for each in folders for path in (root / each).rglob("*") if path.is_file())
    pages = {
        str(path.relative_to(root)): SECONDS.sub(b"", path.read_bytes())
        for path in paths
        if path.suffix != ".json" and path.name not in ("lock", "submission_secret.txt")
    }
    return results(root), scores, pages


def differences(found, expected):
    """The names of what is not the same."""
    (results, scores, pages), (right, as_recorded, as_written) = found, expected
    different = [] if scores == as_recorded else ["the gradebook"]
    for ours, theirs in ((results, right), (pages, as_written)):
        names = sorted(ours.keys() | theirs.keys())
        different += [name for name in names if ours.get(name) != theirs.get(name)]
    return different


@pytest.mark.parametrize(
    "times",
    [pytest.param(2, id="few"), pytest.param(KILLS, id="many", marks=pytest.mark.slow)],
)
def test_the_end_is_that_of_an_undisturbed_run(released, undisturbed, tmp_path, times):
    root, seconds = undisturbed
    expected, whom = everything(root), random.Random(SEED)
    for number in range(times):
        here = tmp_path / str(number)
        fresh(released, here / "course")
        process = start(here / "course", here)
        time.sleep(whom.uniform(0, seconds))
        kind = whom.choice(["grader", "worker", "server", "all"])
        there = left_of(process.pid, here)
        victims = [pid for pid, what in there.items() if kind in (what, "all")]
        for pid in victims[:1] if kind != "all" else victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        said = finish(process)
        what = f"{number}: {kind} of {sorted(there.values())}: {said}"
        assert "Traceback" not in said, what
        assert nobody_is_left(process.pid, here), what
        partial = results(here / "course")
        wrong = [name for name, result in partial.items() if result != expected[0].get(name)]
        assert wrong == [], what
        if kind in ("grader", "all"):
            assert finish(start(here / "course", here)) == "", what
        else:
            assert said == "", what
        assert differences(everything(here / "course"), expected) == [], what
        # Of others there may be something: nbgrader has alembic make a new gradebook, which is
        # killed, too.
        assert not list((here / "tmp").glob("autograder-*")), what
        shutil.rmtree(here)
