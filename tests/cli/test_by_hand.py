"""What people read: offered with its rubric in the real formgrader, kept over every regrade."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import nbconvert
import nbformat
import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import read_course
from autograder.export import read_settings

NAME = "squares"
RUBRIC = """{title: The report, points: 3, rubric: [
        {points: 2, text: "It says *why*, & how."}, {points: 1, text: It has an example.},
        {points: 0, text: Try a smaller one.}]}"""
WHY, EXAMPLE, SMALLER = (
    "It says *why*, & how. (+2)",
    "It has an example. (+1)",
    "Try a smaller one.",
)


def grade(status=0):
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1", "--yes"])
    assert done.exit_code == status, (done.output, done.exception)
    return done.output


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def course(here):
    edit(here / "course.yml", "{title: The report, points: 3}", RUBRIC)
    return here


def page(course, student):
    text = (course / "feedback" / student / NAME / f"{NAME}.html").read_text()
    return " ".join(re.sub("<[^>]*>", " ", text).split())


def book():
    return Gradebook(read_settings(Path()).db_url)


def given(student, part="report"):
    with book() as gradebook:
        grade = gradebook.find_grade(part, NAME, NAME, student)
        comment = gradebook.find_comment("report", NAME, NAME, student).manual_comment
        return grade.manual_score, comment


def give(student, part, score, comment=None):
    with book() as gradebook:
        grade = gradebook.find_grade(part, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.find_comment("report", NAME, NAME, student).manual_comment = comment
        gradebook.db.commit()


def test_what_waits_is_told_and_the_page_shows_what_was_picked(course):
    assert "to be read: report (2), in the formgrader" in grade()
    cells = nbformat.read(course / "autograded" / "ada" / NAME / f"{NAME}.ipynb", 4).cells
    at = next(number for number, cell in enumerate(cells) if cell.id == "report")
    assert f"- {WHY}\n- {EXAMPLE}\n- {SMALLER}" in cells[at + 1].source

    give("ada", "report", 2, f"Nice.\n{WHY}\n{SMALLER}")
    give("bob", "report", 3, "All of it.")
    assert "to be read" not in grade()
    rubric = f"✓ {WHY} ○ Not given: {EXAMPLE} ✓ {SMALLER} Nice."
    assert rubric.replace("&", "&amp;") in page(course, "ada")
    assert "All of it." in page(course, "bob")
    assert "Not given" not in page(course, "bob")


def test_points_of_people_survive_a_regrade_whatever_has_changed(course):
    grade()
    item = read_course(course).assignment(NAME).items[0].id
    give("ada", "report", 2, WHY)
    give("bob", item, 0.5, "Half.")
    kept = given("ada"), given("bob", item)

    # another verdict: bob hands in what is right
    files = [course / "submitted" / each / NAME / f"{NAME}.ipynb" for each in ("ada", "bob")]
    shutil.copy(*files)
    grade()
    assert (given("ada"), given("bob", item)) == kept

    # an item that is worth more, and a rubric in other words
    edit(course / "course.yml", "points: 2\n", "points: 4\n")
    edit(course / "course.yml", "It has an example.", "There is an example.")
    assert "to be read: report (1), in the formgrader" in grade()
    assert (given("ada"), given("bob", item)) == kept

    # points of bob's that were given for an item of other points, where nothing else waits
    give("bob", "report", 3, "Half.")
    edit(course / "course.yml", "points: 4\n", "points: 5\n")
    again = "points given before, to be confirmed by Resolve (1), in the formgrader"
    assert f"to be read: {again}" in grade()
    assert given("bob", item) == kept[1]

    # a cell under another name: refused, and nothing is touched
    edit(course / "assignments" / NAME / f"{NAME}.ipynb", f'"{item}"', '"another"')
    edit(course / "course.yml", f"      {item}:", "      another:")
    assert "error:" in grade(status=2)
    assert (given("ada"), given("bob", item)) == kept


@contextmanager
def formgrader(course, home):
    """The real one, served from a course: its address."""
    programs = Path(sys.executable).parent
    share = Path(nbconvert.__file__).parents[4] / "share" / "jupyter"
    environment = os.environ | {
        "HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_PATH": str(share),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    options = {
        "port": 0,  # it finds a free one itself: what was free a moment ago, another test may have
        "open_browser": False,
        "allow_root": True,
        "root_dir": course,
        "jpserver_extensions": '{"nbgrader.server_extensions.formgrader":True}',
    }
    serve = [sys.executable, "-m", "jupyter_server", "--IdentityProvider.token="]
    serve += [f"--ServerApp.{name}={value}" for name, value in options.items()]
    server = subprocess.Popen(serve, cwd=course, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        ports = (re.search(r" http://[^/]+:(\d+)/", line) for line in server.stderr)
        yield f"http://127.0.0.1:{next(filter(None, ports))[1]}"
    finally:
        server.terminate()
        server.communicate(timeout=30)


@pytest.fixture
def browser():
    chromium = shutil.which("chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not chromium:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as running:
        yield running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])


def test_in_the_formgrader_a_click_on_a_line_gives_its_comment_and_points(
    course, browser, tmp_path
):
    (course / "submitted" / "ada" / NAME / "sketch.png").write_bytes(PICTURE)
    notebook = course / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
    edit(notebook, "I *think*.", "![mine](sketch.png) <script>document.title = 1</script>")
    grade()
    with book() as gradebook:
        which = gradebook.find_submission_notebook(NAME, NAME, "ada").id
    with formgrader(course, tmp_path) as address:
        shown = browser.new_page()
        shown.route("**/*", lambda route: route.continue_() if at_home(route) else route.abort())
        shown.goto(f"{address}/formgrader/submissions/{which}/")
        shown.wait_for_load_state("networkidle")
        assert shown.title() == NAME
        assert shown.evaluate("document.querySelector('img[src=\"sketch.png\"]').naturalWidth") == 1

        pick(shown, EXAMPLE, SMALLER, WHY, EXAMPLE)
        assert shown.input_value("#report") == "2"
        shown.reload()
        shown.wait_for_load_state("networkidle")
        pressed = shown.locator('.rubric button[aria-pressed="true"]').all_inner_texts()
        assert sorted(pressed) == sorted([WHY, SMALLER])
        assert given("ada") == (2, f"{SMALLER}\n{WHY}")

        pick(shown, WHY)
        assert given("ada") == (None, SMALLER)

        shown.focus("#report-comment")
        shown.keyboard.press("Tab")
        shown.keyboard.press("Enter")
        saved(shown)
        assert given("ada") == (2, f"{SMALLER}\n{WHY}")


def at_home(route):
    return "127.0.0.1" in route.request.url


def pick(shown, *lines):
    for line in lines:
        shown.get_by_role("button", name=line, exact=True).click()
        saved(shown)


def saved(shown):
    shown.wait_for_function("jQuery.active === 0")


PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415478da63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
