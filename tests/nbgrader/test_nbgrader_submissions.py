"""nbgrader's own road: of whatever is handed in the answers count, and nothing else of it."""

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_output
from nbgrader_course import EVERYTHING, NAME, ROOT, gradebook, new_course, run, scores, write

from autograder.notebooks import student_name

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


def stub():
    return nbformat.read(ROOT / "assignments" / NAME / f"{NAME}.ipynb", as_version=4)


def graded_cells(notebook):
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]


def hostile_class(course, right):
    """Who hands in what, and what it must get; None: it waits for staff."""
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

    hand_in("no_notebook_at_all", "<html>Please log in</html>", None)
    hand_in("broken_off", nbformat.writes(right())[:2000], None)
    hand_in("empty", "", None)
    hand_in("under_another_name", right(), name="my notebook.ipynb")
    hand_in("something_else", "I could not do it.", None, "mail.txt")
    folder = course / "submitted" / "a_link" / NAME
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").symlink_to(course / "solutions" / NAME / f"{NAME}.py")
    expected["a_link"] = None
    folder.parent.with_name("a_linked_student").symlink_to(course / "submitted" / "right")
    expected["a_linked_student"] = None
    folder.parent.with_name("a_linked_folder").mkdir()
    (folder.parent.with_name("a_linked_folder") / NAME).symlink_to(course / "solutions" / NAME)
    expected["a_linked_folder"] = None
    hand_in("a" * 250, right(), None)
    expected[student_name("a" * 250)] = expected.pop("a" * 250)
    hand_in("an\na", right(), None)
    expected[student_name("an\na")] = expected.pop("an\na")
    hand_in("a_zip", "", None, f"{NAME}.zip")
    hand_in("no_time", right())
    write(course, "no_time", "tomorrow", "timestamp.txt")

    notebook = right()
    notebook.cells.insert(0, new_markdown_cell("half a character"))
    text = nbformat.writes(notebook).replace("half a character", r"half \ud800")
    hand_in("half_a_character", text)

    hand_in("links_beside", right())
    folder = course / "submitted" / "links_beside" / NAME
    (folder / "secret.txt").symlink_to(course / "course.yml")
    (folder / "zeros.bin").symlink_to("/dev/zero")
    (folder / "own.txt").write_text("mine")
    (folder / "page.html").write_text("<script>alert(6)</script>")
    (folder / "figures").mkdir()
    (folder / "figures" / "own.png").write_bytes(b"mine")
    (folder / "figures" / "linked.png").symlink_to("/etc/passwd")
    with (folder / "large.txt").open("wb") as file:
        file.truncate(1 << 30)

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
    done = run(course, "nbgrader", "autograde", NAME, fails=True)
    return course, expected, done.stderr


def test_only_the_answers_count(hostile):
    course, expected, _ = hostile
    found = {
        student: None if None in items.values() else sum(items.values())
        for student, items in scores(course).items()
    }
    assert found == expected


def test_who_waits_for_staff_is_named_and_nothing_of_theirs_is_copied(hostile):
    course, expected, said = hostile
    waiting = {student for student, each in expected.items() if each is None}
    for student in waiting:
        assert f"for student '{student}'" in said
        assert not (course / "autograded" / student / NAME).exists()
    assert "a_linked_student is a link, and links are not followed" in said
    assert f"there is no {NAME}.ipynb, but there is {NAME}.zip" in said
    assert "timestamp.txt is no date and time, such as" in said
    with gradebook(course) as book:
        for student in waiting:
            assert book.find_submission(NAME, student).needs_manual_grade


def test_no_execute_changes_nothing(hostile):
    course, _, _ = hostile
    before = scores(course)
    with gradebook(course) as book:
        for submission in book.assignment_submissions(NAME):
            for grade in submission.notebooks[0].grades:
                grade.auto_score = None
        book.db.commit()
    run(course, "nbgrader", "autograde", NAME, "--no-execute", "--force", fails=True)
    assert scores(course) == before


def test_links_are_not_followed_into_what_is_given_back(hostile):
    course, _, _ = hostile
    folder = course / "autograded" / "links_beside" / NAME
    figures = {f"figures/{path.name}" for path in (ROOT / "assignments" / NAME).glob("figures/*")}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert there == {f"{NAME}.ipynb", "own.txt", "figures/own.png", *figures}


def test_what_is_shown_is_the_release_with_the_answers(hostile):
    course, _, _ = hostile
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
    course, _, _ = hostile
    run(course, "nbgrader", "generate_feedback", NAME)
    page = (course / "feedback" / "scripts" / NAME / f"{NAME}.html").read_text()
    for number in range(1, 6):
        assert f"alert({number})</script>" not in page
    assert "alert(2)" not in page
    assert "alert(3)" not in page
    assert PICTURE in page
    assert "drawn" not in page  # beside a picture its text is not shown
    assert "<em>mine</em> a &lt; b $c &lt; d$" in page
    stub = "scaled_dot_product_attention is still the stub (NotImplementedError)."
    assert f"2. {stub}\n   Costs 14 of 22 points, at The output; The weights" in page
    assert f"attention_output: missing (0 of 2), mistake 2\nMistake 2: {stub}\n" in page
    assert page.index("# Mistakes") < page.index("attention_output: missing")
    page = (course / "feedback" / "right" / NAME / f"{NAME}.html").read_text()
    assert f"(Score: {EVERYTHING} / {EVERYTHING})" in page
    assert "attention_output: passed (2 of 2)" in page
    assert "# Mistakes" not in page
