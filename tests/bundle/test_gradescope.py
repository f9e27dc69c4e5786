"""Gradescope's autograder, as Gradescope runs it: laid out as documented, in a container's profile.

What its images have, and this machine may not, is left out: setup.sh installs nothing here.
"""

import io
import json
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.bundle import gradescope, hand_in
from autograder.bundle.hand_in import _policy
from autograder.checking import ChecksBroken
from autograder.cli import app
from autograder.course import read_course
from autograder.proof import read_samples
from autograder.sandbox import walls
from autograder.template import plan

ROOT = Path(__file__).resolve().parents[2]
NAME = "squares"
CONTAINER = [sys.executable, str(ROOT / "tests/container.py")]
# What somebody tries who knows where Gradescope puts things.
HOSTILE = """
import glob, json, os
for place in ("{root}/results/results.json", "/autograder/results/results.json"):
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as file:
            json.dump({{"score": 100}}, file)
    except OSError:
        pass
seen = []
for top, _, names in os.walk("{root}"):
    seen += [os.path.join(top, each) for each in names]
for each in [*seen, "{root}/source/course/.autograder_secret", "{root}/submission_metadata.json"]:
    try:
        seen.append(open(each).read())
    except OSError:
        pass
if seen:
    raise SystemExit("can look: " + str(seen)[:500])
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    plan(root, NAME).write()
    text = (root / "course.yml").read_text()
    (root / "course.yml").write_text(text + "\nat_once: {full_a_day: 2}\n")
    return read_course(root)


@pytest.fixture(scope="module")
def made(course):
    return gradescope(course, NAME)


@pytest.fixture(scope="module")
def samples(course):
    return {each.kind: each.data for each in read_samples(course, NAME)}


@pytest.fixture
def autograder(made):
    """Gradescope's folder, its zip unpacked, with a function that hands in and has it graded."""
    with tempfile.TemporaryDirectory() as folder:  # which every user may enter
        root = Path(folder) / "autograder"
        os.chmod(folder, 0o755)
        with zipfile.ZipFile(io.BytesIO(made)) as archive:
            archive.extractall(root / "source")
        for each in ("submission", "results"):
            (root / each).mkdir()

        def run(data, before=()):
            (root / "submission" / f"{NAME}.ipynb").write_bytes(data)
            (root / "submission_metadata.json").write_text(metadata(before))
            trouble = hand_in(root, NAME)
            found = root / "results" / "results.json"
            return trouble, json.loads(found.read_text()) if found.exists() else None

        run.root = root
        yield run


def metadata(before):
    users = [{"email": "ada@example.org", "id": 12, "name": "Ada"}]
    earlier = [{"submission_time": each, "score": 1.0, "results": {}} for each in before]
    return json.dumps(
        {
            "id": 1,
            "created_at": "2027-02-08T20:00:00.123456-08:00",
            "users": users,
            "previous_submissions": earlier,
        }
    )


def test_right_work_gets_all(autograder, samples):
    trouble, found = autograder(samples["right"])
    assert trouble is None
    assert found["score"] == sum(each["max_score"] for each in found["tests"]) > 0
    assert [each["number"] for each in found["tests"]] == ["1"]
    assert {each["visibility"] for each in found["tests"]} == {"visible"}
    assert found["stdout_visibility"] == "hidden"
    assert found["output"] == ""


@pytest.mark.slow
def test_wrong_work_reads_what_is_wrong_and_of_many_the_verdict(autograder, samples):
    _, found = autograder(samples["wrong"])
    (test,) = found["tests"]
    assert found["score"] < test["max_score"]
    assert "expected" in test["output"]
    _, later = autograder(samples["wrong"], ["2027-02-08T19:00:00-08:00"] * 2)
    assert later["score"] == found["score"]
    assert "expected" not in later["tests"][0]["output"]
    assert "The score counts" in later["output"]


def test_of_so_many_hand_ins_a_day_all_is_told(course):
    yesterday, morning = "2027-02-07T20:00:00-08:00", "2027-02-08T08:00:00-08:00"
    noon = "2027-02-08T20:00:00+00:00"  # in another offset
    assignment = course.assignment(NAME)
    for before in ([], [yesterday], [morning, yesterday]):
        assert _policy(assignment, json.loads(metadata(before))) == ("diagnosis", [])
    told, (said,) = _policy(assignment, json.loads(metadata([yesterday, noon, morning])))
    assert told == "verdict"
    assert "told of 2 hand-ins in 24 hours, and this is number 3." in said
    assert said.endswith("after Tuesday, 9 February 2027, 08:00 (UTC-08:00).")


def test_what_cannot_be_read_says_why(autograder):
    trouble, found = autograder(b"no notebook")
    assert trouble is None
    assert found["score"] == 0
    assert found["output"].startswith("Not graded: ")
    assert found["output"].endswith("Then hand in again.")


def test_who_knows_the_place_of_the_results_reaches_none(autograder, samples):
    notebook = json.loads(samples["right"])
    extra = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].insert(0, extra | {"source": HOSTILE.format(root=autograder.root)})
    trouble, found = autograder(json.dumps(notebook).encode())
    assert trouble is None
    assert found["score"] == 2
    assert "can look" not in json.dumps(found)


def test_a_fault_of_ours_leaves_no_result(autograder, samples):
    checks = autograder.root / "source" / "course" / "solutions" / NAME / "checks.py"
    checks.write_text(checks.read_text() + "\n1 / 0\n")
    with pytest.raises(ChecksBroken):
        autograder(samples["right"])
    assert not (autograder.root / "results" / "results.json").exists()


@pytest.mark.slow
def test_its_script_runs_in_a_container(autograder, samples):
    root = autograder.root
    (root / "submission" / f"{NAME}.ipynb").write_bytes(samples["right"])
    (root / "submission_metadata.json").write_text(metadata([]))
    script = (root / "source" / "run_autograder").read_text()
    script = script.replace("/opt/grader/bin/python", sys.executable)
    # Where the wall of containers cannot stand, none is tried: Python lies in root's folder, say.
    fits = platform.machine() == "x86_64" and walls.why_not("plain") is None
    done = subprocess.run(
        [*(CONTAINER if fits else []), "bash", "-c", script.replace("/autograder", str(root))],
        env={"PATH": os.environ["PATH"], "HOME": "/root"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = json.loads((root / "results" / "results.json").read_text())
    assert found["score"] == 2


def test_it_holds_what_grading_needs_and_no_more(made, course):
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        names = archive.namelist()
        for program in ("setup.sh", "run_autograder"):
            assert archive.getinfo(program).external_attr >> 16 & 0o111
            subprocess.run(["bash", "-n"], input=archive.read(program), check=True)
        setup, needs = archive.read("setup.sh").decode(), archive.read("requirements.txt").decode()
    assert gradescope(course, NAME) == made
    assert names == sorted(names)
    assert not [each for each in names if each.startswith("course/") and "/right/" in each]
    assert '"torch==' in setup
    assert "index" not in setup
    assert {"numpy", "nbgrader", "pydantic", "safetensors"} <= {
        each.partition("==")[0] for each in needs.split()
    }
    assert "torch==" not in needs


def test_the_command_writes_it_where_nobody_publishes(course):
    done = CliRunner().invoke(app, ["bundle", "--gradescope", NAME, "--course", str(course.root)])
    assert done.exit_code == 0, done.output
    assert (course.root / "exports" / f"{NAME}-gradescope-grader.zip").exists()
    assert not (course.root / "dist").exists()
    wrong = CliRunner().invoke(
        app, ["bundle", "--gradescope", "cubes", "--course", str(course.root)]
    )
    assert wrong.exit_code == 2
    assert "no assignment 'cubes'" in wrong.output
