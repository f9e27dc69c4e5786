"""What is dropped counts for nobody, and what is extra adds above the total, also by hand."""

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import Result, read_course
from autograder.export import read_settings

NAME = "squares"
ITEM = "      distances:\n"


def call(*args, status=0):
    done = CliRunner().invoke(app, [*args])
    assert done.exit_code == status, (done.output, done.exception)


def stands(here, student="ada"):
    with Gradebook(read_settings(here).db_url) as book:
        found = book.find_submission(NAME, student)
        return found.score, found.max_score, found.needs_manual_grade


def give(here, **points):
    with Gradebook(read_settings(here).db_url) as book:
        for name, score in points.items():
            grade = book.find_grade(name, NAME, NAME, "ada")
            grade.manual_score, grade.needs_manual_grade = score, False
        book.db.commit()


def page(here):
    return (here / "feedback" / "ada" / NAME / f"{NAME}.html").read_text()


def change(here, old, new):
    manifest = here / "course.yml"
    assert old in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(old, new, 1))


@pytest.fixture
def item(here):
    return read_course(here).assignment(NAME).items[0]


def test_what_is_dropped_counts_for_nobody(here, item):
    call("grade", NAME, "--jobs", "1", "--yes")
    give(here, report=2.5, **{item.id: 0.5})
    change(
        here,
        f"      {item.id}:\n",
        f"      {item.id}:\n        dropped: Its <b>check</b> was wrong.\n",
    )
    change(here, "points: 3}", "points: 3, dropped: Nobody understood it.}")
    call("grade", NAME, "--jobs", "1", "--yes")
    assert stands(here) == (0, 0, False)
    assert Result.read(here / "results" / NAME / "ada.json").max_score == 0
    assert "<small>Counts for nobody: Its &lt;b&gt;check&lt;/b&gt; was wrong.</small>" in page(here)
    assert "<small>Counts for nobody: Nobody understood it.</small>" in page(here)
    assert "to be read" not in page(here)
    assert page(here).count("not counted") == 1


def test_points_that_people_gave_count_again_once_it_is_taken_back(here, item):
    before = (here / "course.yml").read_text()
    call("grade", NAME, "--jobs", "1", "--yes")
    give(here, report=2.5, **{item.id: 0.5})
    with Gradebook(read_settings(here).db_url) as book:
        book.find_grade("report", NAME, NAME, "ada").extra_credit = 0.25
        book.db.commit()
    change(here, f"      {item.id}:\n", f"      {item.id}:\n        dropped: Wrong.\n")
    change(here, "points: 3}", "points: 3, dropped: Nobody understood it.}")
    for _ in range(2):
        call("grade", NAME, "--jobs", "1", "--yes", "--force")
        assert stands(here) == (0, 0, False)
    (here / "course.yml").write_text(before)
    call("grade", NAME, "--jobs", "1", "--yes")
    assert stands(here) == (2.75 + 0.5, item.points + 3, True)  # and ask for a second look
    call("grade", NAME, "--jobs", "1", "--yes", "--force")
    assert stands(here)[0] == 2.75 + 0.5


def test_extra_credit_of_what_is_dropped_counts_for_nothing_either(here, item):
    call("grade", NAME, "--jobs", "1", "--yes")
    with Gradebook(read_settings(here).db_url) as book:
        book.find_grade(item.id, NAME, NAME, "ada").extra_credit = 0.25
        book.db.commit()
    before = (here / "course.yml").read_text()
    change(here, f"      {item.id}:\n", f"      {item.id}:\n        dropped: Wrong.\n")
    call("grade", NAME, "--jobs", "1", "--yes")
    assert stands(here)[0] == 0
    (here / "course.yml").write_text(before)
    call("grade", NAME, "--jobs", "1", "--yes")
    assert stands(here)[0] == item.points + 0.25


def test_what_is_extra_adds_above_the_total(here, item):
    change(here, f"      {item.id}:\n", f"      {item.id}:\n        extra: true\n")
    change(here, "points: 3}", "points: 3, extra: true}")
    change(here, "    items:\n", "    extra: true\n    items:\n")
    call("grade", NAME, "--jobs", "1", "--yes")
    assert stands(here) == (item.points, 0, True)
    give(here, report=2.5)
    call("pages")
    assert stands(here) == (item.points + 2.5, 0, False)
    assert page(here).count("<small>Adds above the total.</small>") == 2
    assert f'<b>{item.points + 2.5:g}</b><br><span class="quiet">of 0 points' in page(here)
    assert "All of this assignment adds above the total of the course." in page(here)
