"""What the machine is to blame for ends with a sentence and status 3; what is done is kept."""

import contextlib
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest

NAME = "squares"
PROGRAM = Path(sys.executable).with_name("autograder")


def start(*args, **more):
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        [PROGRAM, *args, "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PATH": path},
        start_new_session=True,
        **more,
    )


def forks_of(process):
    """Its children that run what it runs itself."""
    for child in psutil.Process(process.pid).children():
        with contextlib.suppress(psutil.Error):
            if "prove" in child.cmdline():
                yield child


def stopped(process):
    """What is told, of which there must be one sentence and no traceback."""
    _, said = process.communicate(timeout=170)
    assert process.returncode == 3, said
    assert "Traceback" not in said
    (told,) = (line for line in said.splitlines() if line.startswith("stopped: "))
    return told


def graded(here):
    return {path.stem for path in (here / "results" / NAME).glob("*.json")}


def no_more_than(size):
    """A disk on which no file can grow beyond this many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_results_cannot_be_written(here):
    (here / "results").write_text("a file")
    told = stopped(start("grade", NAME))
    assert "results" in told
    assert "run it again" in told
    (here / "results").unlink()
    if os.geteuid() != 0:  # root may write everywhere
        (here / "results").mkdir(mode=0o555)
        assert "Permission denied" in stopped(start("grade", NAME))


def test_there_is_no_room_for_the_gradebook(here):
    told = stopped(start("grade", NAME, preexec_fn=no_more_than(40_000)))
    assert "gradebook.db cannot be used" in told
    assert graded(here) == {"ada", "bob", "eve"}


def test_the_gradebook_is_held_by_another_program(here):
    first = start("grade", NAME)
    first.communicate(timeout=170)
    assert first.returncode == 0
    shutil.rmtree(here / "results")
    holder = sqlite3.connect(here / "gradebook.db")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert "is locked" in stopped(start("grade", NAME))
    finally:
        holder.close()
    assert graded(here) == {"ada", "bob", "eve"}


def test_a_worker_of_the_proof_is_killed(here):
    """It is a fork that stays; one that is about to run another program looks the same at first."""
    process = start("prove", NAME, "--quick")
    stay, before, until = set(), set(), time.monotonic() + 120
    while not stay and time.monotonic() < until:
        time.sleep(0.1)
        now = set(forks_of(process))
        stay, before = before & now, now
    stay.pop().kill()
    assert "one of its processes was killed" in stopped(process)


@pytest.mark.parametrize("whom", ["all", "parent"])
def test_ctrl_c_over_the_progress_bar(here, whom, tmp_path):
    """A terminal sends it to all that it has started."""
    notebook = nbformat.read(here / "submitted" / "eve" / NAME / f"{NAME}.ipynb", 4)
    answer = next(each for each in notebook.cells if each.id.startswith("solution"))
    answer.source = "while True:\n    pass"
    manifest = here / "course.yml"  # the loop outlasts the others, however busy the machine is
    text = re.sub(r"(call|wall)_seconds: \d+", r"\1_seconds: 150", manifest.read_text())
    manifest.write_text(text)
    nbformat.write(notebook, here / "submitted" / "eve" / NAME / f"{NAME}.ipynb")
    shutil.move(here / "submitted" / "eve", here / "submitted" / "zoe")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"], before = str(temporary), os.environ.get("TMPDIR")
    try:
        process = start("grade", NAME)
    finally:
        os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
    until = time.monotonic() + 120
    while graded(here) != {"ada", "bob"} and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(1)
    (os.killpg if whom == "all" else os.kill)(process.pid, signal.SIGINT)
    told = stopped(process)
    assert "Ctrl-C" in told
    assert "goes on from there" in told
    assert graded(here) == {"ada", "bob"}
    assert list(temporary.glob("autograder-*")) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # nobody is left


def test_ctrl_c_while_it_starts_is_told_in_a_sentence():
    code = """
import builtins
real = builtins.__import__

def interrupted(name, *args, **more):
    if name == "torch":
        raise KeyboardInterrupt
    return real(name, *args, **more)

builtins.__import__ = interrupted
import autograder.cli
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr == "stopped: by Ctrl-C; run the same command again\n"
