"""`autograder diff`: what changed is told, what did not is not, and who has to be graded again."""

import json
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from autograder.bundle import bundles, changes, read_version
from autograder.bundle.checked import checks_of, code_of
from autograder.cli import app
from autograder.course import read_course
from autograder.release import build
from autograder.template import plan

NAME = "squares"
SOURCE, CHECKS = f"solutions/{NAME}/{NAME}.py", f"solutions/{NAME}/checks.py"


def git(root, *args):
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", root, *who, *args], check=True, capture_output=True)


RELEASED = f"assignments/{NAME}"
NOTEBOOK, CASES = f"{RELEASED}/{NAME}.ipynb", f"{RELEASED}/checks/cases.json"


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A course in git, below the top of its repository, at the tag v1."""
    top = tmp_path_factory.mktemp("repository")
    root = top / "teaching" / "course"
    root.mkdir(parents=True)
    plan(root, NAME).write()
    build(read_course(root), NAME).write(root / RELEASED)
    git(top, "init", "--quiet")
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--message", "first")
    git(top, "tag", "v1")
    return root


@pytest.fixture
def course(first, tmp_path):
    shutil.copytree(first.parents[1], tmp_path / "repository")
    return tmp_path / "repository" / "teaching" / "course"


def edit(course, name, *pairs):
    path = course / name
    text = path.read_text()
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)


def found(course):
    git(course, "commit", "--all", "--quiet", "--allow-empty", "--message", "second")
    return changes(read_version(course, "v1"), read_version(course, "HEAD"))


def told(course):
    return {(each.item, each.what, each.students, each.regrade) for each in found(course)}


def test_nothing_changed(course):
    assert found(course) == []


def test_points_and_tolerance_ask_for_a_regrade(course):
    edit(
        course,
        "course.yml",
        ("points: 2", "points: 3"),
        ("tolerance: 1.0e-12", "tolerance: 1.0e-11"),
    )
    assert told(course) == {
        ("distances", "points: 2 before, 3 now", True, True),
        ("distances", "tolerance: 1e-12 before, 1e-11 now", True, True),
    }


def test_dates_and_titles_do_not(course):
    text = (course / "course.yml").read_text()
    title = next(line for line in text.splitlines() if line.strip().startswith("title: "))
    date = "    dates:\n      due: 2027-02-08T23:59:00+01:00\n"
    edit(course, "course.yml", (title, f"    title: Another\n{date.rstrip()}"))
    assert {each.regrade for each in found(course)} == {False}
    assert {each.what.partition(":")[0] for each in found(course)} == {"dates", "title"}


def test_late_days_are_for_students_alone(course):
    edit(
        course,
        "course.yml",
        ("assignments:", "late: {percent_per_day: 9}\nlate_days: 2\nassignments:"),
    )
    shared = {(each.what, each.students) for each in found(course) if each.assignment is None}
    assert ("course.yml: late_days: none before, 2 now", True) in shared


def test_limits_and_banned_calls_do(course):
    text = (course / "course.yml").read_text()
    assert "wall_seconds" in text
    edit(course, "course.yml", ("wall_seconds: ", "wall_seconds: 1"))
    (change,) = found(course)
    assert (change.assignment, change.regrade, change.students) == (None, True, False)
    assert change.what.startswith("course.yml: limits: ")


def test_a_check_that_is_worded_anew_is_words_alone(course):
    text = (course / CHECKS).read_text()
    sentence = text.split('"""')[3]
    edit(course, CHECKS, (sentence, "In other words."))
    edit(course, CASES, ('"sentences": [', '"sentences": ["Once more.", '))
    assert told(course) == {("distances", "sentences of its checks", True, False)}


def test_a_check_that_asks_something_else_asks_for_a_regrade(course):
    checks = checks_of((course / CHECKS).read_text())["distances"]
    text = (course / CHECKS).read_text()
    at = text.index("draw.normal(")
    (course / CHECKS).write_text(
        text[:at] + text[at:].replace("draw.normal(", "draw.normal(1 + ", 1)
    )
    changed = [each for each in found(course) if each.regrade]
    assert [each.what.partition(":")[0] for each in changed] == ["checks"]
    assert any(name in changed[0].what for name in checks)


def test_words_are_told_by_item(course):
    edit(course, NOTEBOOK, ("right values", "right numbers"))
    assert told(course) == {("distances", "words or cells of the notebook", True, False)}


def test_the_files_of_the_checks_are_counted(course):
    edit(course, f"{RELEASED}/checks/told.py", ('"""', '"""Once more. '))
    assert told(course) == {(None, "the notebook's checks (1 file)", True, False)}
    edit(course, f"{RELEASED}/checks/shown.py", ('"""', '"""Once more. '))
    assert told(course) == {(None, "the notebook's checks (2 files)", True, False)}


def test_the_reference_and_the_mistakes_are_told(course):
    edit(course, SOURCE, ("    ### BEGIN SOLUTION\n", "    ### BEGIN SOLUTION\n    x = x + 0\n"))
    edit(course, f"solutions/{NAME}/faults/distances.py", ("return ", "return 1 * "))
    assert told(course) == {
        (None, "the reference, or what is given", False, True),
        (None, "known mistakes: distances.py", False, True),
    }


def test_comments_change_nothing(course):
    edit(course, SOURCE, ("    ### BEGIN SOLUTION\n", "    ### BEGIN SOLUTION\n    # so\n"))
    edit(course, f"solutions/{NAME}/faults/distances.py", ("\n\n\n", "\n\n\n# As ever.\n"))
    assert found(course) == []


def test_an_item_and_an_assignment_come_and_go(course):
    edit(course, "course.yml", ("      distances:\n", "      lengths:\n"))
    assert told(course) == {
        ("distances", "is gone (2 points)", True, True),
        ("lengths", "is new (2 points)", True, True),
    }
    edit(course, "course.yml", (f"  {NAME}:", "  cubes:"))
    whole = {(each.assignment, each.what) for each in found(course)}
    assert whole == {(NAME, "the assignment is gone"), ("cubes", "the assignment is new")}


def test_two_bundles(course, tmp_path):
    def bundle(name):
        folder = course / RELEASED
        files = (each for each in folder.rglob("*") if each.is_file())
        released = {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}
        (tmp_path / name).mkdir()
        for path, data in bundles(read_course(course), {NAME: released}).items():
            (tmp_path / name / path).write_bytes(data)

    bundle("one")
    edit(course, CASES, ('"points": 2', '"points": 3'))
    edit(course, NOTEBOOK, ("right values", "right numbers"))
    bundle("two")
    shown = CliRunner().invoke(app, ["diff", str(tmp_path / "one"), str(tmp_path / "two")])
    assert shown.exit_code == 0
    assert "* distances: points: 2 before, 3 now" in shown.output
    assert "- distances: words or cells of the notebook" in shown.output
    assert f"Regrade: {NAME}." in shown.output
    assert "A bundle holds what students get alone" in shown.output
    against = ["diff", str(tmp_path / "one"), "v1", "--course", str(course)]
    assert "For students: nothing" in CliRunner().invoke(app, against).output


def test_json(course):
    edit(course, "course.yml", ("points: 2", "points: 3"))
    found(course)
    called = CliRunner().invoke(app, ["diff", "v1", "--json", "--course", str(course)])
    about = json.loads(called.stdout)
    assert about["regrade"] == [NAME]
    assert about["students"] is True
    assert about["unseen"] is None
    assert about["changes"] == [
        {
            "assignment": NAME,
            "item": "distances",
            "what": "points: 2 before, 3 now",
            "students": True,
            "regrade": True,
        }
    ]


def test_what_is_not_committed_is_named(course):
    def said():
        return CliRunner().invoke(app, ["diff", "v1", "--course", str(course)]).output

    assert "Not looked at" not in said()
    edit(course, SOURCE, ("import torch", "import torch  # again"))
    (course / "solutions" / NAME / "wrong" / "new.py").write_text("")
    new = f"teaching/course/solutions/{NAME}/wrong/new.py"
    assert said().endswith(
        f"Not looked at, because it is not committed: teaching/course/{SOURCE}, {new}.\n"
    )


@pytest.mark.parametrize("name", ["v2", "-h", "--output=x", "HEAD:course.yml", ""])
def test_what_is_no_version_is_a_sentence(course, name):
    called = CliRunner().invoke(app, ["diff", "--course", str(course), "--", name, "HEAD"])
    assert called.exit_code == 2
    assert "error: " in called.output
    assert "Traceback" not in called.output


def test_a_bundle_that_is_cut_off_is_a_sentence(course, tmp_path):
    (tmp_path / "manifest.json").write_text('{"assignments": {"a": {}}}')
    called = CliRunner().invoke(app, ["diff", str(tmp_path), "v1", "--course", str(course)])
    assert called.exit_code == 2
    assert "is no bundle that can be read" in called.output


def test_a_helper_is_part_of_every_check_that_uses_it():
    text = """
A = 1

def helper(): return A

@item("one", hint="x")
def test_a(): "Words."; helper()

@item("two")
def test_b(): pass
"""
    before, after = checks_of(text), checks_of(text.replace("A = 1", "A = 2"))
    assert before["one"] != after["one"]
    assert before["two"] == after["two"]
    assert checks_of(text.replace("Words.", "Others.").replace('"x"', '"y"')) == before
    assert checks_of("def broken(") == {}


def test_code_is_what_it_does():
    assert code_of("def f(x):\n    'Says.'\n    return (x)  # so\n") == code_of(
        "def f(x): return x"
    )
    assert code_of("f(1)") != code_of("f(2)")
    assert code_of("def f(:") == "def f(:"
