"""Grading on a Dask cluster: the same results, whatever becomes of a worker."""

import os
import shutil
import signal
import sys
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import read_course, read_secret
from autograder.grading import ClusterUnfit, Room, desk, find_class, graded, graded_on
from autograder.sandbox import walls

NAME = "squares"


@pytest.fixture
def room(here):
    return Room(read_course(here), NAME, here / "results", walls.choose(), read_secret(here))


def but_for_timing(results):
    return {each.student: each.model_copy(update={"seconds": 0.0}) for each in results}


@pytest.mark.slow
def test_a_cluster_gives_the_same_though_a_worker_is_killed(room, here):
    distributed = pytest.importorskip("distributed")
    submitted = here / "submitted"
    shutil.rmtree(submitted / "bob")  # how long is looked for words about him, the clock decides
    for number in range(20):
        shutil.copytree(submitted / ("ada", "eve")[number % 2], submitted / f"s{number}")
    (submitted / "links" / NAME).parent.mkdir()  # it cannot travel
    (submitted / "links" / NAME).symlink_to(submitted / "ada" / NAME)
    (submitted / "two" / NAME).mkdir(parents=True)
    for name in ("one.ipynb", "other.ipynb"):
        shutil.copy(submitted / "eve" / NAME / f"{NAME}.ipynb", submitted / "two" / NAME / name)
    shutil.copy(
        submitted / "ada" / NAME / f"{NAME}.ipynb", submitted / "eve" / NAME / "right.ipynb"
    )
    class_ = find_class(submitted, NAME)
    alone = but_for_timing(graded(room, class_, 1))
    assert len({each.score for each in alone.values()}) == 3
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        results = graded_on(cluster.scheduler_address, room, class_, 1)
        found = [next(results) for _ in range(4)]
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        found += results
        assert victim not in client.run(os.getpid).values()
    assert len(found) == len(class_)
    assert but_for_timing(found) == alone


def test_what_is_sent_is_graded_there_as_it_is_here(room, here):
    class_ = find_class(here / "submitted", NAME)
    sent = desk.Packed.of(room, room.origin.parts)
    assert b"eve" not in sent.files
    worker = desk._Worker()
    assignment = room.course.assignment(NAME)
    (ada,) = (each for each in class_ if each.student == "ada")
    parcel = desk.Parcel.of(ada, assignment)
    result = worker.grade(sent, parcel)
    first = worker._desk
    assert b'"score":2.0' in result
    worker.grade(sent, parcel)
    assert worker._desk is first
    folder = first._folder.path
    assert folder.exists()
    worker._leave_if_free()
    assert not folder.exists()


def test_a_worker_with_another_engine_grades_nothing(room):
    parts = {**room.origin.parts, "engine": "an older one"}
    with pytest.raises(ClusterUnfit, match="has other engine than the grader"):
        desk._Desk(replace(desk.Packed.of(room, room.origin.parts), parts=parts))


def test_without_dask_it_is_said_what_to_install(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = CliRunner().invoke(app, ["grade", NAME, "--scheduler", "local"])
    assert done.exit_code == 2
    assert "pip install distributed" in done.output
