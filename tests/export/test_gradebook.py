import csv
import os
import shutil
import sqlite3
import subprocess
import sys
from datetime import datetime

import nbformat
import pytest
from export_samples import assignment, graded, with_report
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook

from autograder.course.result import Verdict
from autograder.export.gradebook import Recorded, record
from autograder.export.opening import GradebookError

PASSED, WRONG, INTERNAL = Verdict.PASSED, Verdict.WRONG, Verdict.INTERNAL
NAME = "a1_attention"


def cell(kind, source, grade_id, **about):
    flags = {"grade": False, "solution": False, "locked": False, "task": False}
    about = flags | {"schema_version": 3, "grade_id": grade_id} | about
    return kind(source, metadata={"nbgrader": about})


def write_release(path, of, stale_points=None, without=(), source="check()"):
    cells = [
        new_markdown_cell("No metadata at all."),
        cell(new_markdown_cell, "A story", "story", locked=True),
        cell(new_code_cell, "def attention(): ...", "attention", solution=True),
    ]
    for item in of.items:
        if item.id not in without:
            points = item.points if stale_points is None else stale_points
            about = {"points": points, "cell_type": "code"}
            cells.append(cell(new_code_cell, source, item.id, grade=True, locked=True, **about))
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture
def a1():
    return assignment()


@pytest.fixture
def release(tmp_path, a1):
    return write_release(tmp_path / f"{NAME}.ipynb", a1)


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory):
    """Made once: nbgrader runs another program for every new gradebook, which takes seconds."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    Gradebook(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def db(tmp_path, empty_gradebook):
    shutil.copy(empty_gradebook, tmp_path)
    return f"sqlite:///{tmp_path}/gradebook.db"


def everything(db):
    """Every row of every table, to see that nothing at all has changed."""
    with sqlite3.connect(db.removeprefix("sqlite:///")) as connection:
        return "\n".join(connection.iterdump())


def scores_of(db, student):
    with Gradebook(db) as gradebook:
        notebook = gradebook.find_submission_notebook(NAME, NAME, student)
        return {grade.name: grade.auto_score for grade in notebook.grades}


def grade_by_hand(db, student, item, **values):
    with Gradebook(db) as gradebook:
        grade = gradebook.find_grade(item, NAME, NAME, student)
        for name, value in values.items():
            setattr(grade, name, value)
        gradebook.db.commit()


def test_scores_and_cells_and_due_date_are_in_the_gradebook(a1, release, db):
    results = [graded("s001", a1), graded("s002", a1, [PASSED, WRONG, PASSED])]

    assert record(results, a1, release, db) == Recorded(2, ())

    assert scores_of(db, "s002") == {
        "attention_output": 3.0,
        "attention_scale": 0.0,
        "attention_mask": 1.5,
    }
    with Gradebook(db) as gradebook:
        stored = gradebook.find_assignment(NAME)
        assert stored.duedate == datetime(2027, 2, 8, 22)  # naive, in UTC
        assert stored.max_score == a1.max_score == 6.5
        submission = gradebook.find_submission(NAME, "s002")
        assert submission.score == 4.5
        assert not submission.needs_manual_grade
        (notebook,) = stored.notebooks
        assert notebook.name == NAME
        assert [solution.name for solution in notebook.solution_cells] == ["attention"]
        assert {source.name for source in notebook.source_cells} == {
            "story",
            "attention",
            *(item.id for item in a1.items),
        }


def test_recording_twice_changes_not_one_row(a1, release, db):
    results = [graded("s001", a1), graded("s002", a1, [WRONG, WRONG, PASSED])]
    record(results, a1, release, db)
    before = everything(db)

    record(results, a1, release, db)

    assert everything(db) == before


def test_a_regrade_replaces_the_automatic_scores(a1, release, db):
    record([graded("s001", a1, [WRONG, WRONG, WRONG])], a1, release, db)
    record([graded("s001", a1, [PASSED, WRONG, PASSED])], a1, release, db)
    assert sum(scores_of(db, "s001").values()) == 4.5


def test_manual_scores_and_extra_credit_survive_a_regrade(a1, release, db):
    record([graded("s001", a1, [WRONG, WRONG, WRONG])], a1, release, db)
    by_hand = {"manual_score": 1.25, "extra_credit": 0.5, "needs_manual_grade": False}
    grade_by_hand(db, "s001", "attention_scale", **by_hand)

    record([graded("s001", a1)], a1, release, db)

    with Gradebook(db) as gradebook:
        grade = gradebook.find_grade("attention_scale", NAME, NAME, "s001")
        assert (grade.manual_score, grade.extra_credit, grade.auto_score) == (1.25, 0.5, 2.0)
        assert grade.needs_manual_grade
        assert not gradebook.find_grade("attention_mask", NAME, NAME, "s001").needs_manual_grade
        assert gradebook.find_submission(NAME, "s001").score == 3 + 1.75 + 1.5


def test_names_times_and_comments_are_left_alone(a1, release, db):
    record([graded("s001", a1)], a1, release, db)
    with Gradebook(db) as gradebook:
        gradebook.update_or_create_student("s001", first_name="Ada", email="ada@example.org")
        handed_in = datetime(2027, 2, 7, 12)
        gradebook.update_or_create_submission(NAME, "s001", timestamp=handed_in)
        comment = gradebook.find_comment("attention", NAME, NAME, "s001")
        comment.manual_comment = "Well argued."
        gradebook.db.commit()

    record([graded("s001", a1, [WRONG, PASSED, PASSED])], a1, release, db)

    with Gradebook(db) as gradebook:
        student = gradebook.find_student("s001")
        assert (student.first_name, student.email) == ("Ada", "ada@example.org")
        assert gradebook.find_submission(NAME, "s001").timestamp == handed_in
        comment = gradebook.find_comment("attention", NAME, NAME, "s001")
        assert (comment.manual_comment, comment.auto_comment) == ("Well argued.", None)


def test_a_result_without_a_score_is_withheld_and_the_earlier_one_stays(a1, release, db):
    record([graded("s001", a1)], a1, release, db)
    lost = [graded(name, a1, [PASSED, INTERNAL, WRONG]) for name in ("s001", "s009")]

    assert record([*lost, graded("s002", a1)], a1, release, db) == Recorded(1, ("s001", "s009"))

    assert sum(scores_of(db, "s001").values()) == 6.5
    with Gradebook(db) as gradebook:
        assert {student.id for student in gradebook.students} == {"s001", "s002"}


def test_points_are_those_of_the_manifest_whatever_the_notebook_says(tmp_path, a1, db):
    stale = write_release(tmp_path / "stale.ipynb", a1, stale_points=50)
    record([graded("s001", a1)], a1, stale, db)
    with Gradebook(db) as gradebook:
        assert gradebook.find_assignment(NAME).max_score == 6.5


def test_new_points_reach_the_gradebook_when_there_are_submissions(release, db, a1):
    record([graded("s001", a1)], a1, release, db)
    dearer = assignment(attention_output=4.0, attention_scale=2.0, attention_mask=1.5)

    record([graded("s001", dearer)], dearer, release, db)

    with Gradebook(db) as gradebook:
        assert gradebook.find_assignment(NAME).max_score == 7.5
        assert gradebook.find_submission(NAME, "s001").score == 7.5


def test_a_changed_source_reaches_the_gradebook(release, db, a1):
    record([graded("s001", a1)], a1, release, db)
    write_release(release, a1, source="check('again')")

    record([graded("s001", a1)], a1, release, db)

    with Gradebook(db) as gradebook:
        source = gradebook.find_source_cell("attention_mask", NAME, NAME).source
        assert source == "check('again')"


def test_cells_that_are_there_already_are_not_saved_again(release, db, a1, monkeypatch):
    record([graded("s001", a1)], a1, release, db)
    monkeypatch.setattr("autograder.export.cells.SaveCells", None)
    record([graded("s001", a1)], a1, release, db)


def test_cells_may_change_until_there_are_submissions(release, db, a1):
    record([], a1, release, db)
    fewer = assignment(attention_output=3.0)
    write_release(release, fewer)
    record([graded("s001", fewer)], fewer, release, db)
    assert scores_of(db, "s001") == {"attention_output": 3.0}

    write_release(release, a1)
    with pytest.raises(GradebookError, match=f"nbgrader db assignment remove {NAME} --force"):
        record([graded("s001", a1)], a1, release, db)
    assert scores_of(db, "s001") == {"attention_output": 3.0}


def test_a_cell_graded_by_hand_stays_so(release, db, a1):
    notebook = nbformat.read(release, as_version=4)
    about = {"grade": True, "solution": True, "points": 5.0, "cell_type": "markdown"}
    notebook.cells.append(cell(new_markdown_cell, "Your report", "report", **about))
    nbformat.write(notebook, release)

    record([graded("s001", a1)], a1, release, db)
    grade_by_hand(db, "s001", "report", manual_score=4.0, needs_manual_grade=False)
    record([graded("s001", a1)], a1, release, db)

    with Gradebook(db) as gradebook:
        grade = gradebook.find_grade("report", NAME, NAME, "s001")
        assert (grade.manual_score, grade.needs_manual_grade) == (4.0, False)


@pytest.fixture
def with_manual(a1, release):
    """An assignment with a report in it, and its release, whose points are stale."""
    notebook = nbformat.read(release, as_version=4)
    about = {"grade": True, "solution": True, "points": 50.0, "cell_type": "markdown"}
    notebook.cells.append(cell(new_markdown_cell, "YOUR ANSWER HERE", "report", **about))
    nbformat.write(notebook, release)
    return with_report(a1)


def report_of(db, student):
    with Gradebook(db) as gradebook:
        grade = gradebook.find_grade("report", NAME, NAME, student)
        return grade.auto_score, grade.manual_score, grade.needs_manual_grade, grade.max_score


def test_what_is_handed_in_waits_to_be_graded_by_hand(release, db, with_manual):
    unread = graded("s002", with_manual, [WRONG, WRONG, WRONG], submission_sha256=None)
    record([graded("s001", with_manual), unread], with_manual, release, db)

    assert report_of(db, "s001") == (None, None, True, 5.0)
    assert report_of(db, "s002") == (None, None, False, 5.0)
    with Gradebook(db) as gradebook:
        submission = gradebook.find_submission(NAME, "s001")
        assert submission.needs_manual_grade
        assert (submission.score, submission.max_score) == (6.5, 11.5)


def test_a_report_that_was_read_keeps_its_score_and_is_not_asked_for_again(
    release, db, with_manual
):
    record([graded("s001", with_manual, [WRONG, WRONG, WRONG])], with_manual, release, db)
    grade_by_hand(db, "s001", "report", manual_score=4.0, needs_manual_grade=False)

    record([graded("s001", with_manual)], with_manual, release, db)

    assert report_of(db, "s001") == (None, 4.0, False, 5.0)
    with Gradebook(db) as gradebook:
        assert gradebook.find_submission(NAME, "s001").score == 10.5


def test_a_release_without_the_cell_of_a_report_is_refused(release, db, a1):
    with pytest.raises(GradebookError, match=r"no cell for report, which course\.yml lists"):
        record([], with_report(a1), release, db)


def test_an_item_nobody_knows_is_named_and_nothing_is_recorded(a1, release, db):
    more = assignment(attention_output=3.0, attention_scale=2.0, attention_mask=1.5, attention_x=1)
    results = [graded("s001", a1), graded("s002", more)]

    with pytest.raises(
        GradebookError, match=r"s002 has items .* lacks: attention_x; grade .*again"
    ):
        record(results, a1, release, db)

    with Gradebook(db) as gradebook:
        assert gradebook.students == []


def test_a_result_graded_for_other_points_is_refused(a1, release, db):
    dearer = assignment(attention_output=4.0, attention_scale=2.0, attention_mask=1.5)
    with pytest.raises(GradebookError, match="attention_output was worth 4, which is now worth 3"):
        record([graded("s001", dearer)], a1, release, db)


def test_a_result_of_another_assignment_is_refused(a1, release, db):
    with pytest.raises(GradebookError, match="s001 is of a2_multi_head, not of a1_attention"):
        record([graded("s001", a1, assignment="a2_multi_head")], a1, release, db)


def test_a_release_that_lacks_an_item_is_refused(tmp_path, a1, db):
    stale = write_release(tmp_path / "stale.ipynb", a1, without=["attention_mask"])
    with pytest.raises(GradebookError, match=r"no cell for attention_mask.*autograder release a1"):
        record([], a1, stale, db)


def test_a_release_that_is_not_there_is_refused(tmp_path, a1, db):
    with pytest.raises(GradebookError, match=r"absent\.ipynb cannot be read.*autograder release"):
        record([], a1, tmp_path / "absent.ipynb", db)


def test_a_gradebook_that_cannot_be_opened_is_named(tmp_path, a1, release):
    where = f"sqlite:///{tmp_path}/no/such/folder/gradebook.db"
    with pytest.raises(GradebookError, match=r"no/such/folder.*unable to open.*folder exists"):
        record([graded("s001", a1)], a1, release, where)


@pytest.mark.parametrize("hold", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
def test_a_gradebook_held_by_another_program_is_left_as_it_was(a1, release, db, hold):
    record([graded("s001", a1)], a1, release, db)
    before = everything(db)
    holder = sqlite3.connect(db.removeprefix("sqlite:///"))
    holder.execute(hold)
    try:
        with pytest.raises(GradebookError, match=r"locked.*no other program holds it"):
            record([graded("s002", a1)], a1, release, f"{db}?timeout=0.05")
    finally:
        holder.close()
    assert everything(db) == before


def test_a_submission_made_before_the_notebook_is_explained(a1, release, db):
    with Gradebook(db) as gradebook:
        gradebook.add_assignment(NAME)
        gradebook.add_student("s001")
        with gradebook.db.no_autoflush:  # nbgrader's own call warns without this
            gradebook.add_submission(NAME, "s001")
    with pytest.raises(GradebookError, match=r"remove_submission\('a1_attention', 's001'\)"):
        record([graded("s001", a1)], a1, release, db)


def test_a_new_gradebook_needs_no_activated_environment(tmp_path, a1, release, monkeypatch):
    db = f"sqlite:///{tmp_path}/new.db"
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert shutil.which("alembic") is None
    record([graded("s001", a1)], a1, release, db)
    assert "alembic_version" in everything(db)
    assert os.environ["PATH"] == "/usr/bin:/bin"


def test_nbgrader_exports_the_very_scores(tmp_path, a1, release, db):
    record(
        [
            graded("s001", a1),
            graded("s002", a1, [WRONG, PASSED, WRONG]),
            graded("s003", a1, [INTERNAL, PASSED, PASSED]),
        ],
        a1,
        release,
        db,
    )
    (tmp_path / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.root = {str(tmp_path)!r}\n"
    )

    subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--to", "scores.csv"],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "jupyter")},
        check=True,
        capture_output=True,
    )

    rows = csv.DictReader((tmp_path / "scores.csv").read_text().splitlines())
    exported = {
        row["student_id"]: (row["assignment"], row["score"], row["max_score"]) for row in rows
    }
    assert exported == {"s001": (NAME, "6.5", "6.5"), "s002": (NAME, "2.0", "6.5")}
