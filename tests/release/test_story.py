"""What the release writes into the story: dates, time, points; and the answers, which it keeps."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from autograder.course import read_answers, read_course
from autograder.course.dates import Late
from autograder.release.builder import ReleaseError, build
from autograder.release.needs import for_people
from autograder.release.story import with_facts, with_points, without_facts

ROOT = Path(__file__).resolve().parents[2]
COURSE = read_course(ROOT)


def told(assignment, **changes):
    return assignment.model_copy(update=changes)


def test_under_the_title_stand_the_date_the_time_and_the_points():
    last = COURSE.assignment("a6_translation")
    title, facts, rest = with_facts("# A title\n\nThe story.", last).split("\n\n")
    assert (title, rest) == ("# A title", "The story.")
    assert facts == (
        "**Due Monday, 15 March 2027, 23:59 (UTC+01:00).** Plan two evenings for it; it is worth "
        "25 points, 10 of them given by people."
    )
    undated = told(last, dates=None, manual=())
    assert with_facts("No title.", undated) == (
        "Plan two evenings for it; it is worth 15 points.\n\nNo title."
    )


def test_late_days_are_told_where_there_are_some():
    late = Late(percent_per_day=10, percent_at_most=50)
    first = told(COURSE.assignment("a1_attention"), late=late)
    assert "50 % at most. Plan" in with_facts("# A title", first)
    assert (
        "Each day late costs 10 % of the points, 50 % at most. You have 4 late days for the whole "
        "course: they go first, and cost nothing. Plan"
    ) in with_facts("# A title", first, late_days=4)
    course = COURSE.model_copy(update={"late_days": 1})
    readme = for_people(course, first, {"matplotlibrc": b""})["README.md"].decode()
    assert "50 % at most. You have 1 late day for the whole course: it goes first, and" in readme
    here = late.model_copy(update={"late_days_at_most": 2})
    assert "for the whole course, 2 at most for this assignment: they" in here.with_late_days(4)
    nowhere = late.model_copy(update={"late_days_at_most": 0})
    assert nowhere.with_late_days(4) == str(late)
    assert Late().with_late_days(4) == "Late work costs nothing."


def test_of_what_is_extra_the_points_are_told_to_be():
    extra = told(COURSE.assignment("a6_translation"), dates=None, extra=True)
    assert with_facts("No title.", extra).startswith(
        "Plan two evenings for it; it is worth 25 points extra, 10 of them given by people.\n"
    )


def test_behind_the_heading_of_a_part_stands_what_it_is_worth():
    last = COURSE.assignment("a6_translation")
    first, *others = last.items
    bonus = told(last, items=(first.model_copy(update={"extra": True}), *others))
    text = "### The loss\n\nSee The loss, and\n### The learning rate\n\n### The losses"
    assert with_points(text, bonus) == (
        "### The loss · 1 point extra\n\nSee The loss, and\n### The learning rate · 2 points\n\n"
        "### The losses"
    )
    assert with_points("### The report, the masks", last) == (
        "### The report, the masks · 2 points, graded by hand"
    )


def test_a_text_of_other_dates_and_points_is_the_same():
    """A notebook may have been handed out before these changed; the student's words are others."""
    last = COURSE.assignment("a6_translation")
    text = f"# A title\n\nThe story.\n\n## {last.items[0].title}\n\n## {last.manual[0].title}"
    items = tuple(each.model_copy(update={"points": 7.5}) for each in last.items)
    changed = told(last, items=items, dates=None, estimate="one night", extra=True)
    ours, theirs = (
        without_facts(with_points(with_facts(text, each), each)) for each in (last, changed)
    )
    assert ours == theirs
    assert ours.split() == text.split()
    assert without_facts(f"{text}\n\nPlan B. Due tomorrow.") != without_facts(text)


@pytest.mark.parametrize("assignment", COURSE.assignments, ids=lambda each: each.id)
def test_every_part_of_a_released_notebook_has_its_heading_before_its_cell(assignment):
    path = ROOT / "assignments" / assignment.id / f"{assignment.id}.ipynb"
    heading, found = None, {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            found[cell.metadata.nbgrader.grade_id] = heading
        elif cell.cell_type == "markdown":
            heading = ([heading, *re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE)])[-1]
    parts = (*assignment.items, *assignment.manual)
    assert found.keys() == {each.id for each in parts}
    for each in parts:
        assert found[each.id].startswith(f"{each.title} · {each.points:g} point"), each.id


# Answers


@pytest.fixture
def here(tmp_path):
    """A course of one assignment, made small, in a folder of its own."""
    name = "patterns"
    shutil.copytree(ROOT / "tests" / "another_course", tmp_path, dirs_exist_ok=True)
    answers = tmp_path / "solutions" / name / "answers.md"
    answers.write_text("# Answers\n\n## Why does\n\nEach step can only\nlower it, for a reason.\n")
    return tmp_path, name


def policy(root, name, answers):
    path = root / "course.yml"
    path.write_text(
        path.read_text().replace(f"  {name}:\n", f"  {name}:\n    answers: {answers}\n")
    )
    return read_course(root)


def test_answers_are_read_by_question(here):
    root, name = here
    (answer,) = read_answers(root, name)
    assert answer.question == "Why does"
    assert answer.paragraphs == ("Each step can only lower it, for a reason.",)
    assert read_answers(root, "convolution") == ()


def test_students_get_them_with_the_notebook_only_where_the_course_says_so(here):
    root, name = here
    assert "answers.md" not in build(read_course(root), name).files
    assert "answers.md" in build(policy(root, name, "with_notebook"), name).files


def test_an_answer_that_is_handed_out_is_a_leak_and_a_stale_release(here):
    root, name = here
    source = root / "solutions" / name / f"{name}.py"
    text = source.read_text()
    built = build(read_course(root), name)
    built.write(root / "assignments" / name)
    shutil.copy(root / "solutions" / name / "answers.md", root / "assignments" / name)
    assert built.differs_from(root / "assignments" / name) == ["answers.md"]
    leak = "# **To think about.** Each\n# step can only lower it, for a reason."
    source.write_text(text.replace("# **To think about.**", leak, 1))
    with pytest.raises(ReleaseError, match="an answer: Each step can only lower it, for a reason"):
        build(read_course(root), name)
    assert json.loads(build(policy(root, name, "with_notebook"), name).files[f"{name}.ipynb"])
