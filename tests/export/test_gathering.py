"""Marks are those of nbgrader's gradebook; where it or a result asks for a person there is none."""

import csv
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from export_samples import assignment, graded, with_report
from nbgrader.api import Gradebook
from nbgrader.plugins.export import CsvExportPlugin

from autograder.course import Course, Person, Roster, Verdict
from autograder.course.extensions import Extension
from autograder.export import NothingGraded, State, gather
from autograder.export.scripts import scripts_on_path

A1 = with_report(assignment())
A2 = A1.model_copy(update={"id": "a2", "title": "The second"})
COURSE = Course.model_construct(name="A course", assignments=(A1, A2), root=None)
DUE = datetime(2027, 2, 8, 22)
BEFORE, AFTER = datetime(2027, 2, 8, 21, tzinfo=UTC), datetime(2027, 2, 8, 23, tzinfo=UTC)


@pytest.fixture
def book(tmp_path):
    """A gradebook with both assignments, due on the same day."""
    with scripts_on_path("alembic"), Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        for of in (A1, A2):
            book.add_assignment(of.id, duedate=DUE)
            book.add_notebook(of.id, of.id)
            for part in (*of.items, *of.manual):
                about = {"max_score": part.points, "cell_type": "code"}
                book.add_grade_cell(part.id, of.id, of.id, **about)
        yield book


def hand_in(book, student, of=A1, penalty=None, by_hand=None, waits=(), **scores):
    """A submission with these scores of the checks, and all points where none is named."""
    book.update_or_create_student(student)
    with book.db.no_autoflush:
        submission = book.update_or_create_submission(of.id, student, timestamp=DUE)
    (notebook,) = submission.notebooks
    notebook.late_submission_penalty = penalty
    for grade in notebook.grades:
        default = None if grade.name == "report" else grade.max_score
        grade.auto_score = scores.get(grade.name, default)
        grade.manual_score = (by_hand or {}).get(grade.name)
        grade.needs_manual_grade = grade.name in waits
    book.db.commit()


def write(tmp_path, *results):
    for result in results:
        result.write(tmp_path / "results" / result.assignment / f"{result.student}.json")


def gathered(tmp_path, *chosen, people=(), handed_in=(), zero_from=None, extensions=None):
    roster = Roster({each: Person(each) for each in people})
    settings = SimpleNamespace(
        db_url=f"sqlite:///{tmp_path / 'gradebook.db'}",
        directory=SimpleNamespace(course_id="default_course"),
        extensions=extensions or {},
        lateness=lambda _: None,
    )
    given = (COURSE, chosen, settings, tmp_path / "results", roster, {A1.id: handed_in}, zero_from)
    return gather(*given)


def marks(*given, **about):
    return gathered(*given, **about).marks


def first(found):
    return {each.id: each.work[0] for each in found.students}


def test_scores_are_those_that_nbgrader_exports(book, tmp_path):
    hand_in(book, "ada", by_hand={"report": 4.5}, penalty=1.25)
    hand_in(book, "bob", by_hand={"report": 0, "attention_mask": 0.5}, attention_output=0.0)
    hand_in(book, "eve", by_hand={"report": 1}, penalty=99)
    hand_in(book, "ada", A2, by_hand={"report": 5})
    exporter = CsvExportPlugin()
    exporter.to = str(tmp_path / "grades.csv")
    exporter.export(book)
    with open(exporter.to) as file:
        theirs = {
            (row["assignment"], row["student_id"]): float(row["score"])
            for row in csv.DictReader(file)
            if row["timestamp"]
        }
    found = marks(tmp_path)
    ours = {
        (work.assignment, each.id): work.score
        for each in found.students
        for work in each.work
        if work.score is not None
    }
    assert ours == theirs
    assert ours[A1.id, "ada"] == 6.5 + 4.5 - 1.25
    assert ours[A1.id, "eve"] == 0
    ada = found.students[0]
    assert (ada.total.score, ada.total.points) == (9.75 + 11.5, 23)
    assert [each.by_hand for each in ada.work[0].marks] == [False, False, False, True]
    assert found.students[1].total.without == {"a2": "not handed in"}


def test_what_asks_for_a_person_has_no_score(book, tmp_path):
    hand_in(book, "waits", waits=["report"])
    hand_in(book, "again", by_hand={"report": 3, "attention_mask": 0.5}, waits=["attention_mask"])
    hand_in(book, "staff", by_hand={"report": 3})  # before it was graded anew
    hand_in(book, "never", **dict.fromkeys([each.id for each in A1.items]))
    internal = [Verdict.PASSED, Verdict.INTERNAL, Verdict.PASSED]
    write(tmp_path, graded("staff", A1, internal), graded("dry", A1))
    work = first(marks(tmp_path, A1, handed_in=["late", "never"]))
    assert {id: each.state for id, each in work.items()} == {
        "waits": State.WAITS,
        "again": State.WAITS,
        "staff": State.STAFF,
        "never": State.UNGRADED,
        "dry": State.UNGRADED,
        "late": State.UNGRADED,
    }
    assert {each.score for each in work.values()} == {None}
    assert [each.score for each in work["again"].marks] == [3, 2, None, 3]
    assert [each.score for each in work["waits"].marks] == [3, 2, 1.5, None]
    assert [each.verdict for each in work["staff"].marks][:2] == ["passed", "internal"]


def test_who_handed_in_nothing_has_no_score_or_a_zero_once_it_was_due(book, tmp_path):
    hand_in(book, "ada", by_hand={"report": 5})
    book.update_or_create_student("ext")
    with book.db.no_autoflush:
        book.update_or_create_submission(A1.id, "ext")
    book.grant_extension(A1.id, "ext", days=2)
    people = ("ada", "ext", "zoe")
    for zero_from, scores in (
        (None, [11.5, None, None]),
        (BEFORE, [11.5, None, None]),
        (AFTER, [11.5, None, 0]),
        (AFTER.replace(day=11), [11.5, 0, 0]),
    ):
        work = first(marks(tmp_path, A1, people=people, zero_from=zero_from))
        assert [work[each].score for each in people] == scores
        assert [work[each].state for each in people[1:]] == [State.ABSENT] * 2
    longer = {("zoe", A1.id): Extension(AFTER.replace(day=9), 2)}
    work = first(marks(tmp_path, A1, people=people, zero_from=AFTER, extensions=longer))
    assert work["zoe"].score is None
    found = marks(tmp_path, A1, people=people, zero_from=AFTER)
    assert [each.total.percent for each in found.students] == [100, None, 0]


def test_of_whom_the_roster_does_not_know_nothing_is_expected(book, tmp_path):
    hand_in(book, "ada", by_hand={"report": 5})
    hand_in(book, "ada", A2, by_hand={"report": 5})
    hand_in(book, "stranger", by_hand={"report": 5})
    found = gathered(tmp_path, people=["ada", "zoe"], zero_from=AFTER)
    _, zoe, stranger = found.marks.students
    assert [each.state for each in zoe.work] == [State.ABSENT] * 2
    assert [each.score for each in zoe.work] == [0, 0]
    assert [each.state for each in stranger.work] == [State.GRADED, State.STRANGER]
    assert [each.score for each in stranger.work] == [11.5, None]
    assert stranger.total.without == {"a2": "not on the roster"}
    whom = [[each.id for each in one.marks.students] for one in found.apart()]
    assert whom == [["ada", "zoe", "stranger"], ["ada", "zoe"]]  # as one assignment alone has them
    assert whom[1] == [each.id for each in marks(tmp_path, A2, people=["ada", "zoe"]).students]
    without_roster = marks(tmp_path, zero_from=AFTER).students
    assert [each.work[1].state for each in without_roster] == [State.GRADED, State.ABSENT]


def test_the_roster_comes_first_and_nobody_is_forgotten(book, tmp_path):
    hand_in(book, "ada", by_hand={"report": 5})
    hand_in(book, "stranger", by_hand={"report": 5})
    book.update_or_create_student("absent", first_name="Ann", last_name="Absent")
    assert [each.id for each in marks(tmp_path, A1, people=["zoe", "ada"]).students] == [
        *("zoe", "ada", "stranger")
    ]
    found = marks(tmp_path, A1)
    assert [each.name for each in found.students] == ["Ann Absent", "ada", "stranger"]


def test_there_is_nothing_to_export_of_what_was_not_graded(book, tmp_path):
    with pytest.raises(NothingGraded, match="nothing was graded of a1_attention, a2"):
        marks(tmp_path)
    hand_in(book, "ada", by_hand={"report": 5})
    assert [each.id for each in marks(tmp_path).assignments] == [A1.id]
    with pytest.raises(NothingGraded, match="nothing was graded of a2:"):
        marks(tmp_path, A1, A2)
    (tmp_path / "results" / A1.id).mkdir(parents=True)
    (tmp_path / "results" / A1.id / "ada.json").write_text("{}")
    with pytest.raises(ValueError, match=r"ada\.json is not a result file"):
        marks(tmp_path)
