"""What `autograder new` makes works as it is: released, graded behind walls, proven."""

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.cli.demo import set_up
from autograder.course import read_course, samples_folder, source_path
from autograder.course.result import Verdict
from autograder.grading import grade, limits_of, prepare
from autograder.notebooks import read_source
from autograder.proof import margins, open_pool, prove, read_samples, try_all_mutants
from autograder.release import build
from autograder.sandbox import walls
from autograder.sandbox.host import Server
from autograder.template import plan

NAME = "squares"
ROOT_LEFT_OUT = "    return (differences**2).sum(2)"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    plan(root, NAME).write()
    return read_course(root)


@pytest.fixture(scope="module")
def exam(course):
    return prepare(course, NAME, "for the tests alone")


@pytest.fixture(scope="module")
def server(exam):
    with Server(walls.choose(), limits_of(exam.assignment)) as server:
        yield server


@pytest.fixture
def result_of(exam, server, tmp_path):
    def result_of(data):
        path = tmp_path / f"{NAME}.py"
        path.write_bytes(data)
        return grade("somebody", path, exam, server)

    return result_of


def test_the_reference_gets_full_marks_and_a_mistake_is_named(course, result_of):
    text = source_path(course.root, NAME).read_text()
    assert result_of(text.encode()).score == 2.0
    mistaken = text.replace(
        "    return torch.sqrt(differences.square().sum(dim=-1))", ROOT_LEFT_OUT
    )
    assert mistaken != text
    (item,) = result_of(mistaken.encode()).items
    assert item.verdict is Verdict.WRONG
    assert set(item.faults) == {"distances.WithoutTheRoot"}
    assert "How far is (3, 4) from the origin: 5, or 25?" in item.diagnosis


def test_every_sample_gets_what_it_must(course, exam, server, tmp_path):
    samples = read_samples(course, NAME)
    assert [each.kind for each in samples] == ["right", "wrong", "stub"]
    for sample in samples:
        (item,) = grade(sample.name, sample.write(tmp_path), exam, server).items
        assert (item.verdict is Verdict.PASSED) is (not sample.fails)
        assert sample.verdict in (None, item.verdict)
    (margin,) = margins(exam, samples, server)
    assert margin.holds
    assert margin.right is not None
    assert margin.wrong is not None


def test_only_the_hidden_check_sees_the_wrong_sample(course, exam):
    """Or it would not show what hidden checks are for."""
    assert [each.public for each in exam.outcomes] == [True, False]
    (path,) = samples_folder(course.root, NAME, "wrong").glob("*.py")
    cell = {}
    exec(path.read_text(), cell)
    public, hidden = (each.asked[0] for each in exam.outcomes)
    for asked, agrees in ((public, True), (hidden, False)):
        given = cell["distances"](*asked.question.args)
        assert given.allclose(asked.answer.value, rtol=1e-12, atol=1e-12) is agrees


def test_students_get_none_of_the_notes(course):
    folder = source_path(course.root, NAME).parent
    source = (folder / f"{NAME}.py").read_text()
    notes = [part for part in source.split("\n# %% ") if part.startswith("[raw]")]
    notes += [(folder / name).read_text() for name in ("checks.py", "faults/distances.py")]
    lines = {
        line.strip(" #")
        for note in notes
        for line in note.splitlines()
        if len(line) > 60 and '"""' not in line
    }
    assert len(lines) > 40
    built = build(course, NAME).files
    released = "\n".join(data.decode() for data in built.values())
    assert not [line for line in lines if line in released]
    assert "SOLUTION" not in released
    assert len(read_source(folder / f"{NAME}.py").cells) == 8


@pytest.fixture(scope="module")
def pool(course):
    with open_pool(course, walls.choose(), 1) as pool:
        yield pool


def test_the_fault_is_caught_and_named(course, pool):
    proof = prove(course, NAME, pool, lambda done, total: None)
    assert proof.problems == []
    assert proof.figures["named"] == len(proof.variants) == len(proof.bases) == 1


def test_no_mutant_survives(course, pool):
    tried = try_all_mutants(course, NAME, pool, lambda done, total: None)
    assert len(tried) > 15
    assert [each for each in tried if each.lost is None] == []


def test_the_commands_that_it_advises_succeed(course, monkeypatch):
    monkeypatch.chdir(course.root)
    released = CliRunner().invoke(app, ["release", NAME])
    assert released.exit_code == 0, released.output
    assert (course.root / "assignments" / NAME / f"{NAME}.ipynb").exists()
    checked = CliRunner().invoke(app, ["check", f"solutions/{NAME}/{NAME}.py"])
    assert checked.exit_code == 0, checked.output
    assert "squares: 2 of 2" in checked.stdout


def test_a_demo_needs_no_configuration_of_nbgrader(course, tmp_path):
    (course.root / "nbgrader_config.py").unlink()
    copy = set_up(course, tmp_path / "demo")
    assert copy.assignments == read_course(course.root).assignments
