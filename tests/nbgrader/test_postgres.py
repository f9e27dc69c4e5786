"""The gradebook lives where nbgrader's config says: both roads with a PostgreSQL server."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from nbgrader_course import NAME, ROOT, everything, new_course, run
from sqlalchemy import create_engine, text

from autograder.course import read_course
from autograder.proof.samples import sample_class

pytestmark = pytest.mark.slow


def programs():
    """The folder of the server's programs, which Debian does not put on the path."""
    there = shutil.which("initdb")
    folders = [Path(there).parent] if there else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


def unprivileged():
    """What the server, which refuses root, is started with."""
    return (
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of our own on the loopback: a function that makes a database and gives its URL."""
    pytest.importorskip("psycopg2", reason="psycopg2 is not installed")
    bin = programs()
    if bin is None:
        pytest.skip("PostgreSQL's server is not installed")
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("PostgreSQL refuses root, and setpriv is not there to be somebody else")
    folder = Path(
        subprocess.check_output(["mktemp", "-d", "/tmp/autograder-pg.XXXXXX"], text=True).strip()
    )
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data, about = folder / "data", {"check": True, "cwd": "/", "stdout": subprocess.DEVNULL}
    options = f"-k {folder} -c listen_addresses=127.0.0.1 -p {port} -c fsync=off"
    subprocess.run(
        [*unprivileged(), bin / "initdb", "-D", data, "-A", "trust", "-U", "grader"], **about
    )
    start = ["-w", "-l", folder / "log", "-o", options, "start"]
    subprocess.run([*unprivileged(), bin / "pg_ctl", "-D", data, *start], **about)
    where = f"postgresql+psycopg2://grader@127.0.0.1:{port}"

    def database(name):
        with create_engine(f"{where}/postgres", isolation_level="AUTOCOMMIT").connect() as server:
            server.execute(text(f"CREATE DATABASE {name}"))
        return f"{where}/{name}"

    yield database
    subprocess.run(
        [*unprivileged(), bin / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **about
    )
    shutil.rmtree(folder)


def with_gradebook(course, url):
    with (course / "nbgrader_config.py").open("a") as file:
        file.write(f'\nc.CourseDirectory.db_url = "{url}"\n')


def test_the_sample_class_on_both_roads(server, tmp_path):
    course = new_course(tmp_path / "ours" / "course")
    class_ = sample_class(read_course(ROOT), NAME)
    samples = [each for each in class_ if each.kind not in ("broken", "hostile")][::3]
    late = {sample.name for sample in samples[:3]}
    for sample in samples:
        path = sample.write(course / "submitted")
        day = 10 if sample.name in late else 8
        (path.parent / "timestamp.txt").write_text(f"2027-02-{day:02} 12:00:00 UTC")
    manifest = course / "course.yml"
    policy = "late: {percent_per_day: 10}\nlate_days: 1\nassignments:\n"
    manifest.write_text(manifest.read_text().replace("assignments:\n", policy, 1))
    others = {"nbgrader": "postgresql", "sqlite": None}
    courses = {"ours": course}
    for other in others:
        courses[other] = shutil.copytree(course, tmp_path / other / "course")
    urls = {name: server(name) for name in ("ours", "nbgrader")}
    for name, url in urls.items():
        with_gradebook(courses[name], url)
    urls["sqlite"] = f"sqlite:///{courses['sqlite'] / 'gradebook.db'}"

    said = run(courses["ours"], "autograder", "grade", NAME).stdout
    run(courses["sqlite"], "autograder", "grade", NAME)
    run(courses["nbgrader"], "nbgrader", "autograde", NAME)

    assert f"/ours ({len(samples)} recorded)" in said
    found = {name: everything(url) for name, url in urls.items()}
    assert found["ours"] == found["sqlite"] == found["nbgrader"]
    assert sum(each[2] > 0 for each in found["ours"].values()) >= 1
    # Again, with what people gave; and all that reads it.
    run(courses["ours"], "autograder", "grade", NAME)
    assert everything(urls["ours"]) == found["ours"]
    run(courses["ours"], "autograder", "pages")
    run(courses["ours"], "nbgrader", "export")
    run(courses["sqlite"], "nbgrader", "export")
    ours, theirs = ((courses[name] / "grades.csv").read_text() for name in ("ours", "sqlite"))
    assert sorted(ours.splitlines()) == sorted(theirs.splitlines())
    for name in ("ours", "nbgrader"):
        assert not list(courses[name].glob("gradebook.db*"))


def test_a_server_that_is_not_there_is_a_sentence(server, tmp_path):
    course = new_course(tmp_path / "course")
    sample = sample_class(read_course(ROOT), NAME)[0]
    sample.write(course / "submitted")
    with_gradebook(course, "postgresql+psycopg2://ada:hush@127.0.0.1:1/course")
    done = run(course, "autograder", "grade", NAME, fails=True)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 3
    assert "the gradebook 127.0.0.1:1/course cannot be used" in said
    assert "hush" not in said
    assert "Traceback" not in said
