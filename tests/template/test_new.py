"""`autograder new`: what it makes, what it refuses, and that it makes all of it or nothing."""

import pytest
import yaml
from traitlets.config import PyFileConfigLoader
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import read_course
from autograder.template import making, plan

WRITTEN = """\
name: Shapes   # and numbers
limits: {wall_seconds: 9, call_seconds: 5, memory_mib: 512, processes: 1, output_bytes: 4096}
assignments:

    # the first
    cubes:
        title: Cubes
        items:
            volume: {title: V, points: 1, visibility: public, tolerance: 1.0e-12}
            # more of them come in May
"""


def new(root, *args):
    done = CliRunner().invoke(app, ["new", *map(str, args), "--course", str(root)])
    return done.exit_code, " ".join(f"{done.stdout} {done.stderr}".split())


def everything(root):
    return {path: path.is_file() and path.read_bytes() for path in sorted(root.rglob("*"))}


@pytest.fixture
def course(root):
    """A course as somebody wrote it."""
    (root / "course.yml").write_text(WRITTEN)
    (root / "solutions" / "cubes").mkdir(parents=True)
    return root


def test_a_course_starts_where_there_is_none(root):
    status, said = new(root, "squares")
    assert status == 0
    made = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert made == {
        *("course.yml", "nbgrader_config.py", ".gitignore"),
        *(f"solutions/squares/{each}.py" for each in ("squares", "checks", "faults/distances")),
        *("solutions/squares/faults/equivalent.yml", "solutions/squares/right/loops.py"),
        "solutions/squares/wrong/multiplied_out.py",
    }
    assert all(name in said for name in ("course.yml", "nbgrader_config.py", ".gitignore"))
    order = ["release squares", "check solutions/squares/squares.py", "verify", "prove squares"]
    places = [said.index(f"autograder {each}") for each in order]
    assert places == sorted(places)
    course = read_course(root)
    assert course.name == "Shapes and numbers"
    assert [each.title for each in course.assignments] == ["Squares"]
    text = "".join(path.read_text() for path in root.rglob("*") if path.is_file())
    assert "assignment_name" not in text
    assert "Assignment title" not in text


def test_a_second_assignment_joins_the_first(root):
    new(root, "squares")
    before = everything(root)
    status, _ = new(root, "cubes", "--title", "Cubes: #2")
    assert status == 0
    assert [each.title for each in read_course(root).assignments] == ["Squares", "Cubes: #2"]
    assert "# # Cubes: #2\n" in (root / "solutions" / "cubes" / "cubes.py").read_text()
    after = everything(root)
    assert {path for path in before if after[path] != before[path]} == {root / "course.yml"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_all_that_is_written_in_a_course_stays(course, end):
    before = WRITTEN.replace("\n", end).encode()
    (course / "course.yml").write_bytes(before)
    assert new(course, "squares")[0] == 0
    after = (course / "course.yml").read_bytes()
    assert after.startswith(before)
    assert f"{end}    squares:{end}        title: Squares{end}".encode() in after
    assert not (course / "nbgrader_config.py").exists()


def test_it_is_made_in_the_course_above(course):
    assert new(course / "solutions", "squares")[0] == 0
    assert (course / "solutions" / "squares" / "squares.py").exists()
    assert not (course / "solutions" / "solutions").exists()


def test_what_lies_in_the_folder_of_a_new_course_is_left_as_it_is(root):
    (root / ".gitignore").write_text("mine\n")
    status, said = new(root, "squares")
    assert status == 0
    assert "left .gitignore as it is" in said
    assert (root / ".gitignore").read_text() == "mine\n"


def test_nbgraders_configuration_is_this_repositorys(root, request):
    new(root, "squares", "--course-name", "Shapes & numbers, 2027")
    theirs = (request.config.rootpath / "nbgrader_config.py").read_text()
    ours = (root / "nbgrader_config.py").read_text()
    assert ours == theirs.replace("transformer-from-scratch", "shapes-numbers-2027")
    assert read_course(root).name == "Shapes & numbers, 2027"
    config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    assert config.CourseDirectory.course_id == "shapes-numbers-2027"


def test_the_classes_own_data_is_kept_out_of_the_history(root, request):
    new(root, "squares")
    ours = set((root / ".gitignore").read_text().splitlines())
    assert {".autograder_secret", "/submitted/", "/results/", "/feedback/", "/build/"} <= ours
    assert ours <= set((request.config.rootpath / ".gitignore").read_text().splitlines())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["Squares"], "must be lower-case letters, digits and underscores, the first a letter"),
        (["2d"], "must be lower-case letters, digits and underscores, the first a letter"),
        (["../squares"], "must be lower-case letters"),
        (["squares\n"], "must be lower-case letters"),
        ([""], "must be lower-case letters"),
        (["s" * 300], "cannot be written: File name too long"),
        (["cubes"], "cubes exists already: take another name"),
        (["inputs"], "inputs.py exists already"),
        (["checks"], "checks.py is another file of every assignment"),
        (["squares", "--title", " "], "a title must be a line of text"),
        (["squares", "--title", "two\nlines"], "a title must be a line of text"),
        (["squares", "--course-name", "Another"], "is there already, and has the course's name"),
    ],
)
def test_what_cannot_be_made_is_said_and_nothing_is(course, args, said):
    (course / "solutions" / "inputs.py").touch()
    before = everything(course)
    status, told = new(course, *args)
    assert status == 2
    assert said in told
    assert everything(course) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WRITTEN.replace("cubes:", "squares:"), "course.yml:6: squares stands here already"),
        (WRITTEN.replace("points: 1", "points: -1"), "course.yml:9: assignments.cubes.items.vol"),
        (WRITTEN + "  ]", "course.yml:11: cannot be read as YAML"),
        (WRITTEN.partition("assignments")[0], "course.yml:2: there is no `assignments`: write a"),
        (WRITTEN.partition("assignments")[0] + "assignments: {a: {}}", "course.yml:3: write `ass"),
        (WRITTEN.replace("Shapes", "\xe4").encode("latin-1"), "byte 0xe4 is not UTF-8"),
    ],
)
def test_a_manifest_that_has_no_place_is_told_with_its_line(course, text, said):
    (course / "course.yml").write_bytes(text if isinstance(text, bytes) else text.encode())
    before = everything(course)
    status, told = new(course, "squares")
    assert status == 2
    assert said in told
    assert everything(course) == before


def test_a_manifest_without_an_assignment_yet_gets_its_first(course):
    head = WRITTEN.partition("assignments")[0]
    (course / "course.yml").write_text(f"{head}assignments:\n")
    assert new(course, "squares")[0] == 0
    assert [each.id for each in read_course(course).assignments] == ["squares"]


def test_a_folder_that_is_none_is_told(root):
    status, said = new(root / "nowhere", "squares")
    assert status == 2
    assert "nowhere is not a folder: make it first" in said


def test_a_dry_run_makes_nothing(course):
    before = everything(course)
    status, said = new(course, "squares", "--dry-run")
    assert status == 0
    assert "would make" in said
    assert "would add its entry" in said
    assert everything(course) == before


@pytest.mark.parametrize("there", ["a course", "nothing"])
def test_when_it_cannot_be_written_nothing_of_it_is_left(root, there, monkeypatch):
    if there == "a course":
        (root / "course.yml").write_text(WRITTEN)
    before = everything(root)
    write = making.write_atomically

    def full(path, text):
        if path.name == "course.yml":
            raise OSError(28, "No space left on device", str(path))
        write(path, text)

    monkeypatch.setattr(making, "write_atomically", full)
    status, said = new(root, "squares")
    assert status == 2
    assert "course.yml cannot be written: No space left on device" in said
    assert everything(root) == before


def test_a_file_in_the_place_of_the_folder_of_solutions_is_told(root):
    (root / "solutions").write_text("a file")
    before = everything(root)
    status, said = new(root, "squares")
    assert status == 2
    assert "cannot be written: " in said
    assert everything(root) == before


def test_who_is_quicker_keeps_what_is_theirs(course):
    late = plan(course, "squares")
    plan(course, "squares").write()
    before = everything(course)
    with pytest.raises(making.NotMade, match="squares"):
        late.write()
    assert everything(course) == before
    assert yaml.safe_load((course / "course.yml").read_text())["assignments"].keys() == {
        *("cubes", "squares")
    }
