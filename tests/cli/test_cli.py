"""The command line as its users call it: in a process of its own, by its exit status and words."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.sandbox.walls import STANDING

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
PROGRAM = Path(sys.executable).with_name("autograder")
NBGRADER = Path(sys.executable).with_name("nbgrader")


def run(*args, cwd, program=PROGRAM, **environment):
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [program, *map(str, args)],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path, "COLUMNS": "200"} | environment,
        timeout=170,
    )


@pytest.fixture
def course(tmp_path):
    root = tmp_path / "course"
    root.mkdir()
    for name in ("course.yml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root)
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, root / name)
    return root


def hand_in(course, student, text):
    folder = course / "submitted" / student / NAME
    folder.mkdir(parents=True)
    (folder / f"{NAME}.py").write_text(text)


def test_a_class_from_files_to_nbgraders_export(course):
    right = (ROOT / "solutions" / NAME / f"{NAME}.py").read_text()
    hand_in(course, "ada", right)
    hand_in(course, "eve", right.replace("/ math.sqrt(q.shape[-1])", ""))
    done = run("grade", NAME, cwd=course)
    assert done.returncode == 0, done.stderr
    assert "22" in done.stdout
    assert "attention_scale" in done.stdout
    assert (course / "results" / f"{NAME}.html").exists()
    page = (course / "feedback" / "eve" / NAME / f"{NAME}.html").read_text()
    assert "square root of d_k" in page
    assert oct((course / ".autograder_secret").stat().st_mode)[-3:] == "600"

    exported = run("export", cwd=course, program=NBGRADER)
    assert exported.returncode == 0, exported.stderr
    rows = (course / "grades.csv").read_text().splitlines()
    columns = rows[0].split(",")
    scores = {
        row.split(",")[columns.index("student_id")]: float(row.split(",")[columns.index("score")])
        for row in rows[1:]
    }
    assert scores["ada"] == 22.0
    assert 0 < scores["eve"] < 22.0
    results = json.loads((course / "results" / NAME / "eve.json").read_text())
    assert scores["eve"] == results["score"]

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("attention_scale", NAME, NAME, "eve")
        grade.manual_score = 1.5
        gradebook.db.commit()
    assert CliRunner().invoke(app, ["grade", NAME, "--course", str(course)]).exit_code == 0
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("attention_scale", NAME, NAME, "eve")
        assert (grade.manual_score, grade.auto_score) == (1.5, 0.0)


def test_check_prints_what_the_student_will_read(course, monkeypatch):
    file = course / "solutions" / NAME / f"{NAME}.py"
    file.write_text(file.read_text().replace("<= position[:, None]", "< position[:, None]"))
    shutil.copy(ROOT / "solutions" / NAME / f"{NAME}.py", course / "right.py")
    shutil.move(file, course / f"{NAME}.py")
    shutil.move(course / "right.py", file)
    before = sorted(course.rglob("*"))
    done = run("check", f"{NAME}.py", "--json", cwd=course, AUTOGRADER_SECRET="s" * 20)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    verdicts = {item["item"]: item["verdict"] for item in result["items"]}
    assert verdicts["causal_mask"] == "wrong"
    assert verdicts["padding_mask"] == "passed"
    assert sorted(course.rglob("*")) == before  # it writes nothing
    monkeypatch.setenv("AUTOGRADER_SECRET", "s" * 20)
    asked = ["check", str(course / f"{NAME}.py"), "--course", str(course)]
    assert "causal_mask: wrong (0 of 2)" in CliRunner().invoke(app, asked).output
    assert result["student"] == course.name
    hand_in(course, "ada", (course / f"{NAME}.py").read_text())
    handed_in = str(course / "submitted" / "ada" / NAME / f"{NAME}.py")
    monkeypatch.chdir(course)
    assert (
        json.loads(CliRunner().invoke(app, ["check", handed_in, "--json"]).stdout)["student"]
        == "ada"
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["grade", "a9"], "no assignment 'a9' in course.yml; it has: a1_attention"),
        (["grade", NAME], "nobody handed in"),
        (["grade", NAME, "--submitted", "nowhere"], "is not a folder"),
        (["grade", NAME, "--submitted", f"solutions/{NAME}"], "nobody handed in"),
        (["grade", NAME, "--sandbox", "paper"], "must be sandlock, bubblewrap or plain"),
        (["check", "nothing.ipynb"], "nothing.ipynb is not a file"),
        (
            ["check", "course.yml"],
            f"course.yml is named after no assignment: add --assignment {NAME}",
        ),
        (["release", "a9"], "no assignment 'a9'"),
        (["demo", "--output", "."], "holds no demo"),
        (["grade"], "Missing argument"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(course, args, words, monkeypatch):
    monkeypatch.chdir(course)
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.split())


def test_a_wrong_manifest_is_told_with_its_line(course):
    text = (course / "course.yml").read_text()
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "points: 3" in row)
    (course / "course.yml").write_text(text.replace("points: 3", "points: -3", 1))
    done = run("release", cwd=course)
    assert done.returncode == 2
    assert f"course.yml:{line}:" in done.stderr
    assert "at least 0" in done.stderr


def test_without_walls_only_when_asked_for(course):
    right = (ROOT / "solutions" / NAME / f"{NAME}.py").read_text()
    hand_in(course, "ada", right)
    done = run("grade", NAME, "--no-sandbox", "--dry-run", cwd=course)
    assert done.returncode == 0, done.stderr
    assert "WARNING" in done.stderr
    assert json.loads((course / "results" / NAME / "ada.json").read_text())["sandbox"] == "none"
    assert not (course / "gradebook.db").exists()
    assert not (course / "feedback").exists()


def test_a_stale_release_is_found(course):
    def release(*options):
        return CliRunner().invoke(app, ["release", NAME, "--course", str(course), *options])

    (course / "assignments" / NAME / "checks.py").write_text("# mine\n")
    done = release("--check")
    assert done.exit_code == 1
    assert "checks.py" in done.output
    assert release().exit_code == 0
    assert release("--check").exit_code == 0


def test_doctor(course):
    done = run("doctor", "--json", cwd=course)
    findings = {each["what"]: each for each in json.loads(done.stdout)}
    assert {"Python", "torch", "Landlock", *STANDING, "cores"} <= findings.keys()
    ready = [findings[wall]["advice"] is None for wall in STANDING]
    assert done.returncode == (0 if any(ready) else 1)


@pytest.mark.parametrize("verb", ["new", "release", "grade", "pages", "check", "doctor", "demo"])
def test_help_teaches(verb):
    done = CliRunner().invoke(app, [verb, "--help"])
    assert done.exit_code == 0
    assert f"autograder {verb}" in done.stdout
    assert "Example" in done.stdout


def test_it_says_which_version_it_is():
    done = CliRunner().invoke(app, ["--version"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (done.exit_code, done.stdout) == (0, f"autograder {project['version']}\n")
