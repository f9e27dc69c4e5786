import pytest
from export_samples import graded
from test_feedback import HOSTILE, Page

from autograder.course import Verdict, read_course
from autograder.export import index, read_settings
from autograder.export.index import write_index
from autograder.export.publish import write_pages
from autograder.export.standing import Standing, standings
from autograder.template import plan

NAMES = ("squares", "cubes")
SETTLED = Standing(0.0, 0.0, {}, {}, {})


class Recorded(dict):
    """What the gradebook says of everybody: of most, nothing beside the checks."""

    def get(self, student):
        return super().get(student, SETTLED)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A course of two tiny assignments."""
    root = tmp_path_factory.mktemp("course")
    for name in NAMES:
        plan(root, name).write()
    return root


@pytest.fixture
def course(written, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "standings", lambda name, db_url: Recorded())
    for each in ("course.yml", "nbgrader_config.py", "solutions"):
        (tmp_path / each).symlink_to(written / each)
    return read_course(tmp_path)


def put(course, name, student, verdict=Verdict.PASSED):
    result = graded(student, course.assignment(name), [verdict])
    result.write(course.root / "results" / name / f"{student}.json")
    return result


def index_of(course):
    path = write_index(course, course.root / "results", read_settings(course.root))
    return Page(path.read_text())


def test_nobody_yet(course):
    text = index_of(course).text
    assert "0 students" in text
    assert text.count("not graded yet") == 2
    assert "Nobody has been graded yet." in text


def test_it_has_every_assignment_and_every_student_with_the_total(course):
    put(course, "squares", "ada")
    put(course, "squares", "bob", Verdict.WRONG)
    put(course, "squares", "eve", Verdict.INTERNAL)
    put(course, "cubes", "ada")

    page = index_of(course)

    assert "3 students" in page.text
    points = course.assignment("squares").max_score
    assert f"2 {points / 2:g} of {points:g} 1" in page.text  # graded, the mean, needs staff
    heads = f"total so far {2 * points:g} in all squares of {points:g} cubes of {points:g}"
    rows = (
        f"ada {2 * points:g} of {2 * points:g} {points:g} {points:g} "
        f"bob 0 of {points:g} 0 – eve – needs staff – – A dash"  # noqa: RUF001
    )
    assert f"{heads} {rows}" in page.text


def test_it_leads_to_the_class_page_and_to_who_needs_staff(course):
    put(course, "squares", "eve", Verdict.INTERNAL)
    hrefs = [dict(attrs)["href"] for tag, attrs in index_of(course).tags if tag == "a"]
    assert hrefs == ["squares.html", "squares.html#staff"]


def test_who_has_not_handed_in_is_on_the_roster_and_counted_alike_everywhere(course, monkeypatch):
    monkeypatch.setattr(index, "standings", standings)
    (course.root / "roster.csv").write_text("id\nada\nbob\ncleo\ndan\n")
    put(course, "squares", "ada")
    put(course, "cubes", "ada")
    put(course, "cubes", "bob")
    put(course, "cubes", "cleo")
    put(course, "cubes", "eve")  # whom the roster does not have: nobody expects squares of her
    (course.root / "submitted" / "cleo" / "squares").mkdir(parents=True)
    folder = course.root / "results"
    settings = read_settings(course.root)

    squares = course.assignment("squares")
    write_pages(course, squares, folder, settings)

    text = Page((folder / "squares.html").read_text()).text
    assert "1 handed in and not graded yet cleo" in text
    assert "2 not handed in bob; dan" in text
    assert "graded 1 of 1 need staff 0 handed in, not graded 1 not handed in 2" in text

    page = index_of(course)
    assert "4 students on the roster, and 1 not on it" in page.text
    assert "graded mean not graded yet not on the roster not handed in" in page.text
    assert "Squares 1 2 of 2 1 2 Cubes 4 2 of 2 1 1 Students" in page.text
    rows = "bob – – 2 cleo – not graded yet – 2 dan – – – eve"  # noqa: RUF001
    assert rows in page.text
    hrefs = [dict(attrs).get("href") for tag, attrs in page.tags if tag == "a"]
    ids = [dict(attrs).get("id") for _, attrs in Page((folder / "squares.html").read_text()).tags]
    for state in ("missing", "ungraded"):
        assert f"squares.html#{state}" in hrefs
        assert state in ids

    # Without a roster nobody can know who was expected.
    (course.root / "roster.csv").unlink()
    write_pages(course, squares, folder, settings)
    assert "not handed in" not in Page((folder / "squares.html").read_text()).text
    assert "not handed in" not in index_of(course).text


def test_the_roster_names_them_and_tells_who_is_missing_and_who_unknown(course):
    (course.root / "roster.csv").write_text("id,name,section\nada,Ada L,1\nbob,Bob B,2\n")
    put(course, "squares", "ada")
    put(course, "squares", "eve")

    page = index_of(course)

    assert "2 students on the roster, and 1 not on it" in page.text
    assert "2 2 of 2 1 1 Cubes" in page.text  # graded, the mean, not on the roster, not handed in
    rows = "Ada L ada 2 of 2 2 1 Bob B bob – – 2 eve not on the roster 2 of 2 2"  # noqa: RUF001
    assert rows in page.text
    states = [dict(attrs).get("data-is") for tag, attrs in page.tags if tag == "tr"]
    assert states[-3:] == [None, "missing", "unknown"]


def test_late_work_and_what_people_give_count(course, monkeypatch):
    stand = {
        "ada": Standing(0.5, 7200.0, {}, {}, {}),
        "bob": Standing(0.0, 0.0, {course.assignment("squares").items[0].id: 1.5}, {}, {}),
    }
    monkeypatch.setattr(index, "standings", lambda name, db_url: stand)
    for student in stand:
        put(course, "squares", student)
    page = index_of(course)
    assert "ada 1.5 of 2 late 1.5 bob 1.5 of 2 1.5" in page.text
    assert "graded mean of the checks mean in all late" in page.text
    assert "Squares 2 2 of 2 1.5 of 2 1 Cubes" in page.text
    assert "squares.html#late" in [dict(attrs).get("href") for _, attrs in page.tags]

    put(course, "cubes", "eve")  # of whose assignment the checks are all: it has a mean in all, too
    assert "Cubes 1 2 of 2 2 of 2 Students" in index_of(course).text


def test_what_people_have_yet_to_look_at_is_not_in_the_total(course, monkeypatch):
    waits = Standing(0.0, 0.0, {}, {"report": 5.0}, {})
    again = Standing(0.0, 0.0, {"x": 0.0}, {}, {}, again=True)  # what they gave, before a regrade
    monkeypatch.setattr(index, "standings", lambda name, db_url: {"ada": waits, "bob": again})
    for student in ("ada", "bob", "eve"):  # the gradebook does not have the last
        put(course, "squares", student)
    text = index_of(course).text
    assert "ada – to be read 2 bob – to be read 2 eve – 2 A dash" in text  # noqa: RUF001
    assert "3 2 of 2 2 Cubes" in text  # graded, the mean of the checks, to be read
    assert "mean in all" not in text


def test_a_name_leads_to_the_latest_page(course):
    put(course, "squares", "ada")
    put(course, "cubes", "ada")
    put(course, "cubes", "bob")
    pages = [course.root / "feedback" / "ada" / name / f"{name}.html" for name in NAMES]
    for page in pages:
        page.parent.mkdir(parents=True)
        page.write_text("")
    tags = index_of(course).tags
    hrefs = [href for tag, attrs in tags if (href := dict(attrs).get("href", "")).startswith("..")]
    squares, cubes = (f"../{page.relative_to(course.root)}" for page in pages)
    assert hrefs == [cubes, squares, cubes]  # the name, then each score


def test_no_name_can_become_markup(course):
    def structure(name):
        course_named = course.model_copy(update={"name": name})
        return index_of(course_named).structure

    put(course, "squares", "<b>bold")
    page = index_of(course)
    assert "<b>bold" in page.text
    assert structure(HOSTILE) == structure("harmless")
