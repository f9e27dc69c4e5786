"""The pipelines and images: they are read, and what they call is there."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer
import yaml

from autograder.cli import app

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GITLAB = ROOT / ".gitlab-ci.yml"
KEYS = {"default", "stages", "variables"}
VERBS = set(typer.main.get_command(app).commands)
STEP = {"name", "run", "uses", "with", "env"}


def read(path):
    return yaml.safe_load(path.read_text())


def jobs():
    return {name: job for name, job in read(GITLAB).items() if name not in KEYS}


def scripts():
    for path in WORKFLOWS:
        for name, job in read(path)["jobs"].items():
            for step in job["steps"]:
                if "run" in step:
                    yield f"{path.stem}: {name}", step["run"]
    for name, job in {"default": read(GITLAB)["default"], **jobs()}.items():
        for line in (*job.get("before_script", ()), *job.get("script", ())):
            yield f"gitlab: {name}", line


SCRIPTS = list(scripts())
every_script = pytest.mark.parametrize("script", [text for _, text in SCRIPTS])


@every_script
def test_a_script_is_a_shells(script):
    assert isinstance(script, str)
    said = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr


def test_what_is_called_is_there():
    told = "\n".join(text for _, text in SCRIPTS)
    verbs = re.findall(r"\.venv/bin/autograder ([a-z]+)", told)
    assert {"bundle", "diff", "verify"} <= set(verbs) <= VERBS
    targets = re.findall(r"(?:^|&& )make ([a-z./]+)", told, re.MULTILINE)
    rules = re.findall(r"^([a-z./]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"lint", "test", "verify"} <= {*targets} <= {*rules}
    files = re.findall(r"\btests/[\w/]+(?:\.py)?", told)
    assert [each for each in files if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_one(path):
    told = read(path)
    assert {"name", True, "permissions", "jobs"} <= told.keys()  # YAML reads `on` as true
    for job in told["jobs"].values():
        assert {"runs-on", "timeout-minutes", "steps"} <= job.keys()
        for step in job["steps"]:
            assert step.keys() <= STEP
            assert ("run" in step) != ("uses" in step)


def test_gitlab_jobs_stand_in_its_stages():
    stages = read(GITLAB)["stages"]
    for name, job in jobs().items():
        assert job["stage"] in stages, name
        assert job["script"], name
        for needed in job.get("needs", ()):
            assert stages.index(jobs()[needed]["stage"]) <= stages.index(job["stage"])


def test_only_a_tag_is_published():
    assert read(ROOT / ".github" / "workflows" / "publish.yml")[True] == {"push": {"tags": ["v*"]}}
    for name in ("bundle", "release"):
        assert jobs()[name]["rules"] == [{"if": "$CI_COMMIT_TAG =~ /^v/"}]


def test_nothing_published_is_the_courses_secret():
    told = "\n".join(text for _, text in SCRIPTS)
    assert "gradescope" not in told
    assert "SECRET" not in told


@pytest.mark.parametrize(
    "path", sorted((ROOT / "containers").iterdir()), ids=lambda each: each.stem
)
def test_an_image_copies_what_is_there_and_let_in(path):
    text = path.read_text().replace("\\\n", " ")
    given = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
    let_in = re.findall("^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    copied = [
        re.sub(r"\$\{(\w+)\}", lambda found: given[found[1]], source)
        for line in re.findall("^COPY (.+)$", text, re.MULTILINE)
        for source in shlex.split(line)[:-1]
    ]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source.partition("/")[0] in let_in, source
    assert text.count("\nFROM ") + text.startswith("FROM ") == 1


@pytest.mark.parametrize("name", ["grader", "students"])
def test_an_image_may_stand_on_debians_own_python(name):
    """Its pip refuses to install beside the system's packages, unless it is told to."""
    text = (ROOT / "containers" / f"{name}.Dockerfile").read_text()
    assert text.index(" PIP_BREAK_SYSTEM_PACKAGES=1") < text.index("pip install")


def test_the_grader_does_not_lie_among_the_libraries_of_its_image():
    """Submissions may read those: no wall would stand there, and grading would be refused."""
    text = (ROOT / "containers" / "grader.Dockerfile").read_text()
    (installed,) = re.findall(r"pip install --no-deps --no-build-isolation (.*?) &&", text)
    assert installed == "--editable ."
