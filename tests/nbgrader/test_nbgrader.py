"""nbgrader's own road: its programs, on a course in files, give `autograder grade`'s grades."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_output
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import PyFileConfigLoader

import autograder.nbgrader
from autograder.course.manifest import read_course
from autograder.grading.submission import failed_result
from autograder.proof.samples import answered, sample_class

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
EVERYTHING = read_course(ROOT).assignment(NAME).max_score
SECRET = "for the tests alone"
PROGRAMS = Path(sys.executable).parent
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


def run(course, *args, fails=False):
    home = course.parent / "home"  # nobody's own configuration of Jupyter
    environment = {"AUTOGRADER_SECRET": SECRET, "HOME": str(home), "JUPYTER_NO_CONFIG": "1"}
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [PROGRAMS / args[0], *args[1:]],
        cwd=course,
        capture_output=True,
        text=True,
        env=os.environ | environment | {"PATH": path},
        timeout=900,
    )
    assert bool(done.returncode) == fails, done.stdout + done.stderr
    return done


def new_course(root):
    root.mkdir(parents=True)
    for name in ("course.yml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root)
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, root / name)
    return root


def gradebook(course):
    return Gradebook(f"sqlite:///{course / 'gradebook.db'}")


def scores(course, name=NAME):
    """Every automatic score in the gradebook, by student and item."""
    with gradebook(course) as book:
        return {
            submission.student.id: {
                grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in book.assignment_submissions(name)
        }


def total(course, student):
    with gradebook(course) as book:
        return book.find_submission(NAME, student).score


def write(course, student, data, name=f"{NAME}.ipynb"):
    folder = course / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    text = nbformat.writes(data) if isinstance(data, dict) else data
    (folder / name).write_text(text)


@pytest.fixture(scope="module")
def right(course):
    """The students' notebook, answered as the reference does."""
    return lambda: answered(
        course, NAME, (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    )


def stub():
    return nbformat.read(ROOT / "assignments" / NAME / f"{NAME}.ipynb", as_version=4)


def graded_cells(notebook):
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]


# The same grades on both roads


@pytest.fixture(scope="module", params=[each.id for each in read_course(ROOT).assignments])
def both_roads(request, tmp_path_factory):
    """The demo's class graded on both roads; of the later assignments, a part of it."""
    course = new_course(tmp_path_factory.mktemp("roads") / "course")
    samples = sample_class(read_course(ROOT), request.param)
    for sample in samples if request.param == NAME else samples[::4]:  # minutes, otherwise
        sample.write(course / "submitted")
    theirs = course.with_name("nbgrader")
    shutil.copytree(course, theirs)
    run(course, "autograder", "grade", request.param)
    run(theirs, "nbgrader", "autograde", request.param)
    return request.param, course, theirs


def test_both_roads_agree_to_the_last_digit(both_roads):
    name, ours, theirs = both_roads
    by_hand = {part.id for part in read_course(ROOT).assignment(name).manual}
    expected, found = (
        {
            student: {item: score for item, score in items.items() if item not in by_hand}
            for student, items in scores(course, name).items()
        }
        for course in (ours, theirs)
    )
    assert len(expected) >= 6
    assert found == expected
    for course in (ours, theirs):
        run(course, "nbgrader", "export")
    assert (theirs / "grades.csv").read_text() == (ours / "grades.csv").read_text()


def test_the_evidence_is_kept(both_roads):
    name, ours, theirs = both_roads
    for path in (ours / "results" / name).iterdir():
        expected, found = (
            json.loads((course / "results" / name / path.name).read_text())
            for course in (ours, theirs)
        )
        # Which of its limits a hostile one meets first is a matter of chance: no verdicts here.
        for key in ("score", "submission_sha256", "secret_fingerprint"):
            assert found[key] == expected[key]
        assert [each["score"] for each in found["items"]] == [
            each["score"] for each in expected["items"]
        ]


# Whatever is handed in


def hostile_class(course, right):
    """Who hands in what, and what it must get; None: nbgrader does not know of it."""
    expected = {}

    def hand_in(student, data, points=EVERYTHING, name=f"{NAME}.ipynb"):
        write(course, student, data, name)
        expected[student] = points

    hand_in("right", right())

    notebook = right()
    for cell in notebook.cells:
        if about := cell.metadata.get("nbgrader"):
            about.grade, about.solution, about.locked = about.solution, about.grade, about.solution
            about.pop("points", None)
    hand_in("flags_flipped", notebook)

    notebook = right()
    notebook.cells = [*stub().cells, *notebook.cells]
    for number, cell in enumerate(notebook.cells):
        cell.id = str(number)
    hand_in("every_id_twice", notebook)

    notebook = stub()
    for cell in graded_cells(notebook):
        cell.outputs = [
            new_output("execute_result", data={"text/plain": str(cell.metadata.nbgrader.points)})
        ]
        cell.source = f"print('passed')\n{cell.metadata.nbgrader.points}"
        cell.metadata.nbgrader.update(locked=False, solution=True)
    hand_in("stored_outputs", notebook, 0.0)

    notebook = stub()
    for cell in graded_cells(notebook):
        del cell.metadata.nbgrader["checksum"]
        cell.metadata.nbgrader.points = 1000
    hand_in("points_raised", notebook, 0.0)

    notebook = right()
    for cell in graded_cells(notebook):
        cell.metadata.nbgrader.points = 0
    hand_in("points_lowered", notebook)

    notebook = right()
    graded = graded_cells(notebook)
    notebook.cells = [cell for cell in notebook.cells if cell not in graded]
    hand_in("no_grade_cells", notebook)

    for version in (0, 99):
        notebook = right()
        for cell in notebook.cells:
            if about := cell.metadata.get("nbgrader"):
                about.update(schema_version=version, extra="key")
        hand_in(f"schema_{version}", notebook)

    notebook = right()
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata and cell.cell_type == "code":
            cell.cell_type = "raw"
            del cell["outputs"], cell["execution_count"]
    hand_in("no_code_cells", notebook, 0.0)

    hand_in("no_notebook_at_all", "<html>Please log in</html>", 0.0)
    hand_in("broken_off", nbformat.writes(right())[:2000], 0.0)
    hand_in("empty", "", 0.0)
    hand_in("under_another_name", right(), name="my notebook.ipynb")
    hand_in("something_else", "I could not do it.", None, "mail.txt")
    folder = course / "submitted" / "a_link" / NAME
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").symlink_to(course / "solutions" / NAME / f"{NAME}.py")
    expected["a_link"] = 0.0

    notebook = right()
    notebook.cells.insert(0, new_markdown_cell("half a character"))
    text = nbformat.writes(notebook).replace("half a character", r"half \ud800")
    hand_in("half_a_character", text)

    hand_in("links_beside", right())
    folder = course / "submitted" / "links_beside" / NAME
    (folder / "secret.txt").symlink_to(course / "course.yml")
    (folder / "zeros.bin").symlink_to("/dev/zero")
    (folder / "own.txt").write_text("mine")

    notebook = stub()
    notebook.cells.insert(0, new_markdown_cell("<script>alert(1)</script>\n\n*mine* a < b $c < d$"))
    answer = next(cell for cell in notebook.cells if cell.get("id") == "solution_attention")
    answer.outputs = [
        new_output("display_data", data={"text/html": "<script>alert(2)</script>"}),
        new_output("display_data", data={"image/svg+xml": "<svg onload='alert(3)'/>"}),
        new_output("display_data", data={"image/png": "'><script>alert(4)</script>"}),
        new_output("display_data", data={"image/png": PICTURE, "text/plain": "drawn"}),
        new_output("stream", name="stderr", text="<script>alert(5)</script>"),
    ]
    hand_in("scripts", notebook, 0.0)
    return expected


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, right):
    course = new_course(tmp_path_factory.mktemp("hostile") / "course")
    expected = hostile_class(course, right)
    run(course, "nbgrader", "autograde", NAME)
    return course, expected


def test_only_the_answers_count(hostile):
    course, expected = hostile
    found = {student: sum(items.values()) for student, items in scores(course).items()}
    assert found == {student: each for student, each in expected.items() if each is not None}


def test_no_execute_changes_nothing(hostile):
    course, _ = hostile
    before = scores(course)
    with gradebook(course) as book:
        for submission in book.assignment_submissions(NAME):
            for grade in submission.notebooks[0].grades:
                grade.auto_score = None
        book.db.commit()
    run(course, "nbgrader", "autograde", NAME, "--no-execute", "--force")
    assert scores(course) == before


def test_who_hands_in_no_notebook_has_no_score(hostile):
    course, _ = hostile
    with gradebook(course) as book, pytest.raises(MissingEntry):
        book.find_submission(NAME, "something_else")


def test_links_are_not_followed_into_what_is_given_back(hostile):
    course, _ = hostile
    folder = course / "autograded" / "links_beside" / NAME
    figures = {f"figures/{path.name}" for path in (ROOT / "assignments" / NAME).glob("figures/*")}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert there == {f"{NAME}.ipynb", "own.txt", *figures}


def test_an_unreadable_file_is_told_its_student(hostile):
    course, _ = hostile
    notebook = nbformat.read(course / "autograded" / "broken_off" / NAME / f"{NAME}.ipynb", 4)
    for cell in graded_cells(notebook):
        assert "its JSON breaks off or is damaged" in cell.outputs[0].text
        assert cell.outputs[1].data["text/plain"] == "0.0"


def test_what_is_shown_is_the_release_with_the_answers(hostile):
    course, _ = hostile
    shown = [
        [
            (cell.source, cell.metadata.nbgrader.points)
            for cell in graded_cells(
                nbformat.read(course / "autograded" / student / NAME / f"{NAME}.ipynb", 4)
            )
        ]
        for student in ("right", "flags_flipped", "points_raised", "no_grade_cells")
    ]
    assert (
        shown
        == [[(cell.source, cell.metadata.nbgrader.points) for cell in graded_cells(stub())]] * 4
    )


def test_feedback_says_what_is_wrong_and_runs_nothing_of_theirs(hostile):
    course, _ = hostile
    run(course, "nbgrader", "generate_feedback", NAME)
    page = (course / "feedback" / "scripts" / NAME / f"{NAME}.html").read_text()
    for number in range(1, 6):
        assert f"alert({number})</script>" not in page
    assert "alert(2)" not in page
    assert "alert(3)" not in page
    assert PICTURE in page
    assert "drawn" not in page  # beside a picture its text is not shown
    assert "<em>mine</em> a &lt; b $c &lt; d$" in page
    assert "attention_output: missing (0 of 3)" in page
    page = (course / "feedback" / "right" / NAME / f"{NAME}.html").read_text()
    assert f"(Score: {EVERYTHING} / {EVERYTHING})" in page
    assert "attention_output: passed (3 of 3)" in page


# Staff's part


def test_cells_graded_by_hand_and_manual_scores_survive_a_regrade(tmp_path):
    course = new_course(tmp_path / "course")
    manifest, source = course / "course.yml", course / "solutions" / NAME / f"{NAME}.py"
    part = "    manual:\n      report:\n        title: The report\n        points: 4\n    items:\n"
    manifest.write_text(manifest.read_text().replace("    items:\n", part, 1))
    report = (
        '\n# %% [markdown]\n# Report.\n\n# %% [markdown] manual="report"\n# Attention is a mean.\n'
    )
    source.write_text(source.read_text() + report)
    run(course, "autograder", "release", NAME)
    release = course / "assignments" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(release, as_version=4)
    write(course, "silent", notebook)
    next(cell for cell in notebook.cells if cell.get("id") == "report").source = "It is a *choice*."
    write(course, "eloquent", notebook)

    run(course, "nbgrader", "autograde", NAME)

    with gradebook(course) as book:
        grade = book.find_grade("report", NAME, NAME, "eloquent")
        assert (grade.auto_score, grade.needs_manual_grade, grade.max_score) == (None, True, 4)
        grade.manual_score, grade.needs_manual_grade = 3.5, False
        scale = book.find_grade("attention_scale", NAME, NAME, "eloquent")
        scale.manual_score, scale.extra_credit = 1.25, 0.5
        assert book.find_comment("report", NAME, NAME, "silent").auto_comment == "No response."
        book.db.commit()
    run(course, "nbgrader", "autograde", NAME, "--force")
    assert total(course, "eloquent") == 3.5 + 1.25 + 0.5
    assert total(course, "silent") == 0
    run(course, "nbgrader", "generate_feedback", NAME)
    page = (course / "feedback" / "eloquent" / NAME / f"{NAME}.html").read_text()
    assert "It is a <em>choice</em>." in page
    assert "Score: 3.5 / 4.0" in page
    run(course, "autograder", "grade", NAME)
    assert total(course, "eloquent") == 3.5 + 1.25 + 0.5


@pytest.fixture
def button(tmp_path, monkeypatch):
    """The formgrader's button, in this process, in a course where two have handed in."""
    course = new_course(tmp_path / "course")
    monkeypatch.setenv("AUTOGRADER_SECRET", SECRET)
    monkeypatch.chdir(course)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course)
    yield course, NbGraderAPI(CourseDirectory(config=config), config=config)
    autograder.nbgrader._desks.close()


# nbgrader looks things up while a submission is half built, and SQLAlchemy warns of it.
nbgraders_warnings = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


@nbgraders_warnings
def test_a_fault_of_ours_is_no_score(button, right, monkeypatch):
    course, api = button
    for student in ("ada", "eve"):
        write(course, student, right())

    def grade(student, path, exam, server):
        return failed_result(student, exam, server.wall, "the checks are broken")

    assert api.autograde(NAME, "ada")["success"]
    with monkeypatch.context() as broken:
        broken.setattr(autograder.nbgrader, "grade", grade)
        answers = [api.autograde(NAME, student) for student in ("ada", "eve")]

    assert [each["success"] for each in answers] == [False, False]
    assert "a1_attention of eve has no score: the checks are broken" in answers[1]["log"]
    assert not (course / "autograded" / "eve" / NAME).exists()  # so it waits to be graded
    assert json.loads((course / "results" / NAME / "eve.json").read_text())["score"] is None
    assert scores(course)["ada"] != scores(course)["eve"]
    assert total(course, "ada") == EVERYTHING  # the earlier one stays
    assert set(scores(course)["eve"].values()) == {None}
    with gradebook(course) as book:
        for student in ("ada", "eve"):
            assert book.find_submission(NAME, student).needs_manual_grade

    assert all(api.autograde(NAME, student)["success"] for student in ("ada", "eve"))
    assert total(course, "eve") == EVERYTHING
    with gradebook(course) as book:
        assert not book.find_submission(NAME, "eve").needs_manual_grade


@nbgraders_warnings
def test_the_button_sees_a_changed_course(button, right):
    course, api = button
    write(course, "ada", right())
    api.autograde(NAME, "ada")
    desk = autograder.nbgrader._desks._open
    api.autograde(NAME, "ada")
    assert autograder.nbgrader._desks._open is desk  # no second server for the same course
    manifest = course / "course.yml"
    manifest.write_text(manifest.read_text().replace("points: 3", "points: 5", 1))
    assert api.autograde(NAME, "ada")["success"]
    assert total(course, "ada") == EVERYTHING + 2
    assert not desk.server._folder.exists()


def test_what_staff_can_mend_is_told_in_a_sentence(tmp_path):
    course = new_course(tmp_path / "course")
    write(course, "ada", "")
    manifest = course / "course.yml"
    manifest.write_text(manifest.read_text().replace("points: 3", "points: -3", 1))
    done = run(course, "nbgrader", "autograde", NAME, fails=True)
    assert "must be at least 0" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (course / "gradebook.db").exists() or not scores(course)


def test_nbgraders_other_commands_are_as_ever(tmp_path):
    course = new_course(tmp_path / "course")
    done = run(course, "nbgrader", "validate", f"assignments/{NAME}/{NAME}.ipynb")
    assert "failed" in done.stdout  # the stub does
    source = course / "source" / "ps1"
    source.mkdir(parents=True)
    shutil.copy(ROOT / "assignments" / NAME / f"{NAME}.ipynb", source / "ps1.ipynb")
    run(course, "nbgrader", "generate_assignment", "ps1")
    assert (course / "assignments" / "ps1" / "ps1.ipynb").exists()
