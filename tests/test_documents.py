"""Whatever the documents tell people to run is run: in a course of one tiny assignment."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import read_course
from autograder.proof import read_samples
from autograder.release import build
from autograder.template import plan

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{each.name}" for each in ROOT.glob("docs/*.md")),
)
NAME = "squares"
FOLDER = f"autograder collect {NAME} submitted --as folder"
EXCHANGE = f"nbgrader {{}} {NAME} --Exchange.root=$PWD/exchange"
RELEASED = f"mkdir -m 777 exchange && {EXCHANGE.format('release_assignment')}"
# Every command of the documents; what is run in its place, where that is something else.
COMMANDS = {
    ". .venv/bin/activate": f". {sys.prefix}/bin/activate",
    "autograder bundle": None,
    "autograder bundle --gradescope a1_attention": None,
    "autograder check some/notebook.ipynb": f"autograder check submitted/ada/{NAME}/{NAME}.ipynb",
    "autograder check solutions/nearest/nearest.py": None,
    "autograder collect a1_attention /srv/nbgrader/exchange/transformer-from-scratch": FOLDER,
    "autograder collect a1_attention a1-attention-submissions": FOLDER,
    "autograder collect a1_attention handed_in --as folder": FOLDER,
    "autograder collect a1_attention moodle.zip --times worksheet.csv": FOLDER,
    "autograder collect a1_attention submissions.zip": FOLDER,
    "autograder collect a1_attention submissions.zip --dry-run": f"{FOLDER} --dry-run",
    "autograder diff v1.0 v1.1": ": && autograder bundle && autograder diff dist dist",
    "autograder doctor": None,
    "autograder doctor --attack": "autograder doctor",  # minutes: tests/proof/test_attacking.py
    "autograder export": None,
    "autograder export --to canvas": "autograder export --to canvas --skip-unknown",
    "autograder export --to canvas --into Grades.csv": None,
    "autograder export --to json": None,
    "autograder export a1_attention": None,
    "autograder export a1_attention --by item": None,
    "autograder export a1_attention --to gradescope": (
        f"autograder export {NAME} --to gradescope --skip-unknown"
    ),
    "autograder export a1_attention --to moodle": (
        f"autograder export {NAME} --to moodle --skip-unknown"
    ),
    "autograder export a1_attention --to moodle --into Grades-a1.csv": None,
    "autograder export a1_attention --to moodle-feedback --into Grades-a1.csv": None,
    "autograder grade a1_attention": None,
    "autograder grade a6_translation": f"autograder grade {NAME}",
    "autograder grade a1_attention --scheduler local": None,
    "autograder grade a1_attention --scheduler tcp://head:8786": None,  # all of it is kept
    "autograder grade a1_attention --student s042": f"autograder grade {NAME} --student ada",
    "autograder pages": f": && autograder grade {NAME} && autograder pages",
    "autograder grade a1_attention --dry-run": None,
    "autograder grade a1_attention --force": None,
    "autograder grade a1_attention --student 's0*'": f"autograder grade {NAME} --student 'a*'",
    "autograder grade a1_attention --yes": None,
    "autograder pages a1_attention": f": && autograder grade {NAME} && autograder pages {NAME}",
    "autograder pages a6_translation": f": && autograder grade {NAME} && autograder pages {NAME}",
    "autograder margins": None,
    "autograder margins nearest": "autograder margins",
    "autograder new squares": "autograder new cubes",
    "autograder new week_7": None,
    'autograder new nearest --title "The nearest neighbour"': 'autograder new near --title "Near"',
    "autograder prove": None,
    "autograder prove nearest": "autograder prove",
    "autograder prove --lines": "autograder prove",
    "autograder prove nearest --measure": None,
    "autograder prove nearest --quick": None,
    "autograder release": None,
    "autograder release nearest": "autograder release",
    "autograder samples a1_attention": None,
    "autograder samples nearest": "autograder samples squares",
    "autograder samples nearest slip": "autograder samples squares multiplied_out",
    "autograder similar a1_attention": None,
    "autograder verify": None,
    "autograder verify --json": "autograder verify --promises --json",  # the other is run above
    "autograder verify --promises": None,
    "autograder verify nearest": "autograder verify",
    "jupyter lab": "jupyter lab --version",
    "make": None,
    "make bench": None,
    "make demo": None,
    "make docs": None,
    "make install": None,
    "make lock": None,
    "make prove": None,
    "make slow": None,
    "make test": None,
    "make verify": None,
    "nbgrader autograde --force": f"nbgrader autograde {NAME} --force",
    "nbgrader autograde a1_attention": f"nbgrader autograde {NAME} --force",
    "nbgrader collect a1_attention": f"{RELEASED} && {EXCHANGE.format('collect')}",
    "nbgrader db student remove unknown_NAME --force": "nbgrader db student remove ada --force",
    "nbgrader db upgrade": None,
    "nbgrader export": None,
    "nbgrader release_assignment a1_attention": RELEASED,
    "nbgrader release_feedback a1_attention": (
        f": && autograder grade {NAME} && mkdir -m 777 exchange && "
        f"{EXCHANGE.format('release_feedback')}"
    ),
    "pip install -r requirements.txt": (
        f"pip install --dry-run --no-index -r assignments/{NAME}/requirements.txt"
    ),
}
# Recipes that are not run here, and why.
NOT_RUN = {
    "bench": "`make bench` on a class of three is a part of CI",
    "docs": "it is built below",
    "lock": "it asks the package index",
    "slow": "it runs other tests",
    "test": "it runs this",
    "": "it installs what this runs on",
}
COMMAND = re.compile(r"(autograder|nbgrader|python|pip|pytest|jupyter) |make( |$)|\. \.venv")
OTHERS = re.compile(r"a1_attention|nearest")


def documented():
    """The commands of the documents: lines of code blocks, and what stands in backticks."""
    for name in DOCUMENTS:
        fenced = False
        for line in (ROOT / name).read_text().splitlines():
            fenced ^= line.startswith("```")
            spoken = [line.removeprefix("$ ")] if fenced else re.findall("`([^`]+)`", line)
            for each in spoken:
                command = each.partition("#")[0].strip()
                if COMMAND.match(command):
                    yield command


def test_every_command_of_the_documents_is_in_the_table():
    found = set(documented())
    # In running text a verb may be named without what it is given.
    verbs = {" ".join(each.split()[:2]) for each in COMMANDS}
    assert found - COMMANDS.keys() <= verbs
    assert COMMANDS.keys() <= found


@pytest.fixture(scope="module")
def class_of_three(tmp_path_factory):
    """A course of one tiny assignment, released, what three students have handed in, and graded."""
    root = tmp_path_factory.mktemp("course")
    plan(root, NAME).write()
    course = read_course(root)
    build(course, NAME).write(root / "assignments" / NAME)
    samples = {each.kind: each for each in read_samples(course, NAME)}
    for student, kind in (("ada", "right"), ("bob", "wrong"), ("eve", "stub")):
        path = root / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(samples[kind].data)
    (root / "Grades.csv").write_text(f"Student,ID,Section,{NAME} (7)\n")
    (root / "Grades-a1.csv").write_text("Identifier,Grade,Last modified (grade)\n")
    run(f"autograder grade {NAME} --jobs 1 --course {root}")
    return root


@pytest.fixture
def here(class_of_three, tmp_path, monkeypatch):
    """That course, as nobody has touched it."""
    root = tmp_path / "course"
    shutil.copytree(class_of_three, root)
    monkeypatch.chdir(root)
    return root


def recipe(target):
    """The commands that `make` would run, but for installing."""
    done = subprocess.run(["make", "-n", *target.split()], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.startswith(".venv/bin/") and "/pip " not in line]


def runs():
    """What is run, each once: a recipe of make's is a command of the table as a rule."""
    for command, instead in COMMANDS.items():
        if not command.startswith("make"):
            yield instead or OTHERS.sub(NAME, command)
        elif command.removeprefix("make").strip() not in NOT_RUN:
            yield from (each.removeprefix(".venv/bin/") for each in recipe(command[5:]))


LONG = ("autograder verify",)  # it runs two kernels


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(each, marks=pytest.mark.slow if each in LONG else [])
        for each in sorted({*runs()})
    ],
)
def test_it_runs(command, here):
    run(command)


@pytest.mark.parametrize("target", sorted(NOT_RUN))
def test_what_is_not_run_here_is_there(target):
    recipe(target)


def test_the_pages_for_instructors_are_whole(tmp_path):
    args = ["-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run([sys.executable, *args], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = {each.with_suffix(".md").name for each in tmp_path.glob("*.html")}
    assert {each.name for each in ROOT.glob("docs/*.md")} <= pages
    loaded = re.compile(r"<(?:script|link)[^>]+(?:src|href)=[\"']https?://")
    assert not any(loaded.search(each.read_text()) for each in tmp_path.glob("*.html"))


def run(command):
    program, *args = shlex.split(command)
    if program == "autograder":
        one_worker = ["--jobs", "1"] if args[0] in ("demo", "prove", "samples", "verify") else []
        done = CliRunner().invoke(app, args + one_worker)
        assert done.exit_code == 0, (command, done.output, done.exception)
        return
    programs = f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; {command}"
    done = subprocess.run(["bash", "-c", programs], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
