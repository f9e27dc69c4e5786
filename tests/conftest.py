"""What grading needs, made once in a process: exams, a server behind walls, results of samples."""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # in what tests start, too: see below

import pytest
import torch

from autograder.course import read_course
from autograder.export.scripts import scripts_on_path
from autograder.grading import grade, hardly_look_for_garbage, limits_of, prepare
from autograder.proof import read_samples
from autograder.proof.samples import Sample, answered, as_saved, overlaid
from autograder.release import notebook_of
from autograder.sandbox import walls
from autograder.sandbox.host import Server

torch.set_num_threads(1)  # small tensors, and as many workers as cores: threads wait for each other
ROOT = Path(__file__).resolve().parents[1]
SECRET = "for the tests alone"
# Enough for whoever means well, and soon at its end for whoever does not.
LESS = {"wall_seconds": 12, "call_seconds": 3, "memory_mib": 256, "output_bytes": 4 << 20}
LESS_A_CALL = LESS | {"wall_seconds": 30.0}  # on a busy machine layers take their time


def pytest_collection_modifyitems(items):
    """What takes minutes comes first: a worker that comes to it last would be waited for."""
    items.sort(key=lambda each: "test_attacking" not in each.nodeid)


@pytest.fixture(scope="session", autouse=True)
def nbgraders_programs():
    """Found though no environment is activated, as `make test` runs them."""
    with scripts_on_path("alembic"):
        yield


@pytest.fixture(scope="session")
def course():
    return read_course(ROOT)


@pytest.fixture(scope="session")
def exam_of(course):
    """Gives the exam of an assignment, in which no lines are looked for: that takes seconds."""

    @cache
    def exam_of(assignment_id):
        exam = prepare(course, assignment_id, SECRET)
        hardly_look_for_garbage()
        return replace(exam, assignment=exam.assignment.model_copy(update={"locate": False}))

    return exam_of


@pytest.fixture(scope="session")
def exam(exam_of):
    return exam_of("a1_attention")


@pytest.fixture(scope="module")
def server(request, exam):
    """A server behind the wall that the test names, the best there is when it names none."""
    wall = getattr(request, "param", None) or walls.choose()
    if reason := walls.why_not(wall):
        pytest.skip(f"{wall}: {reason}")
    with Server(wall, replace(limits_of(exam.assignment), **LESS)) as found:
        yield found


@pytest.fixture(scope="session")
def samples_of(course):
    """Gives every sample of an assignment by its name."""

    @cache
    def samples_of(assignment_id):
        found = read_samples(course, assignment_id)
        assert len({each.name for each in found}) == len(found)
        return {each.name: each for each in found}

    return samples_of


@pytest.fixture(scope="session")
def samples(samples_of):
    """Every sample of the first assignment by its name."""
    return samples_of("a1_attention")


@pytest.fixture(scope="session")
def graded(exam_of, samples_of, one_server, tmp_path_factory):
    """Gives what a sample got, graded once on the one server of this process.

    Whoever means harm sits among the others there, who must not notice.
    """
    folder = tmp_path_factory.mktemp("graded")

    @cache
    def graded(assignment_id, name):
        path = samples_of(assignment_id)[name].write(folder)
        return grade(name, path.parent, exam_of(assignment_id), one_server)

    return graded


@pytest.fixture(scope="session")
def one_server(exam_of):
    """A server behind the best wall there is, for all that is graded in this process."""
    limits = replace(limits_of(exam_of("a1_attention").assignment), **LESS_A_CALL)
    with Server(walls.choose(), limits) as server:
        yield server


@pytest.fixture(scope="session")
def result_with(course, exam_of, one_server, tmp_path_factory):
    """Gives the result of who hands in the reference with other solutions in some cells.

    locate: whether lines are looked for; solutions: the source of these cells, by their names.
    """

    def result_with(assignment_id, locate=False, **solutions):
        cells = [f'# %% solution="{name}"\n{source}' for name, source in solutions.items()]
        right = answered(course, assignment_id, notebook_of(course, assignment_id))
        notebook = overlaid(right, "\n".join(["# x", *cells]))
        sample = Sample("x", "", "wrong", assignment_id, as_saved(notebook))
        path = sample.write(tmp_path_factory.mktemp("one"))
        exam = exam_of(assignment_id)
        assignment = exam.assignment.model_copy(update={"locate": locate})
        return grade("x", path, replace(exam, assignment=assignment), one_server)

    return result_with


@pytest.fixture(scope="session")
def items_with(result_with):
    """Gives the items of such a result, by name."""

    def items_with(assignment_id, **solutions):
        return {each.item: each for each in result_with(assignment_id, **solutions).items}

    return items_with


@pytest.fixture
def grade_bytes(tmp_path, exam, server):
    """Grades what somebody hands in."""

    def grade_it(data):
        path = tmp_path / "a1_attention.ipynb"
        path.write_bytes(data)
        return grade("somebody", path, exam, server)

    return grade_it
