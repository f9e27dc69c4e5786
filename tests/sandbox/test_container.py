"""In a container with Docker's default profile the plain wall stands, and a class is graded."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autograder.sandbox import walls

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
COMMAND = [sys.executable, str(ROOT / "tests/container.py"), sys.executable]
AUTOGRADER = ["-c", "from autograder.cli import app; app()"]
HARMFUL = ("kills_the_server", "reads_what_is_not_its_own", "network")
ANOTHER, WITHOUT_AN_ACCOUNT = 65534, 54321

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the container's call filter has the numbers of x86-64"
)


@pytest.fixture(params=["as we are", "as an ordinary user", "as nobody at all"])
def run(request, tmp_path):
    """Runs Python in the container, in a folder that its user may write."""
    become = {}
    if request.param != "as we are":
        if os.geteuid():
            pytest.skip("so we are")
        user = ANOTHER if request.param == "as an ordinary user" else WITHOUT_AN_ACCOUNT
        become = {"user": user, "group": user, "extra_groups": []}
    if reason := walls.why_not("plain"):
        pytest.skip(f"plain: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, become.get("user", -1), -1)

        def run(*arguments):
            environment = {"PATH": os.environ["PATH"], "COLUMNS": "400"}
            if request.param != "as nobody at all":
                environment["HOME"] = folder
            return subprocess.run(
                [*COMMAND, *arguments],
                cwd=folder,
                env=environment | {"AUTOGRADER_SECRET": "for the tests alone"},
                capture_output=True,
                text=True,
                **become,
            )

        run.folder = Path(folder)
        yield run


def test_plain_stands_and_the_others_say_why_not(run):
    done = run(*AUTOGRADER, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    findings = {each["what"]: each for each in json.loads(done.stdout)}
    assert findings["plain"]["found"] == "ready"
    assert "a container's call filter is in force" in findings["sandlock"]["advice"]
    assert findings["bubblewrap"]["found"] == "not available"


def test_a_class_is_graded(run, samples):
    for name in HARMFUL:
        samples[name].write(run.folder / "submitted")
    where = ["--course", str(ROOT), "--submitted", "submitted", "--results", "results"]
    done = run(*AUTOGRADER, "grade", NAME, *where, "--dry-run", "--jobs", "1")
    assert done.returncode == 0, done.stderr + done.stdout
    results = [json.loads(each.read_text()) for each in run.folder.glob(f"results/{NAME}/*.json")]
    assert [each["sandbox"] for each in results] == ["plain"] * len(HARMFUL)
    assert {each["score"] for each in results} == {results[0]["max_score"]}
