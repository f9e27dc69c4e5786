"""A gradebook that cannot take the scores: one sentence each, nothing lost; and its copies."""

import shutil
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest
from export_samples import assignment
from nbgrader.api import Gradebook

from autograder.export.backup import back_up, foresee, ready
from autograder.export.opening import GradebookError, GradebookOutOfReach

A1 = "a1_attention"


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A gradebook of a course of this id, with one assignment; made once, which takes seconds."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    with Gradebook(f"sqlite:///{path}", "ours") as book:
        book.add_assignment(A1)
        for number in range(500):
            book.add_student(f"s{number:03}", first_name="Ada " * 9)
    return path


@pytest.fixture
def file(full, tmp_path):
    return shutil.copy(full, tmp_path / "gradebook.db")


def ask(function, file, course_id="ours", url="sqlite:///{}"):
    course = SimpleNamespace(assignments=(assignment(),))
    directory = SimpleNamespace(course_id=course_id)
    function(SimpleNamespace(db_url=url.format(file), directory=directory), course)


def see(file, **about):
    ask(ready, file, **about)
    back_up(about.get("url", "sqlite:///{}").format(file))


def change(file, *statements):
    with closing(sqlite3.connect(file)) as connection, connection:
        for each in statements:
            connection.execute(each)


def dump(file):
    with closing(sqlite3.connect(file)) as connection:
        return "\n".join(connection.iterdump())


def copies(file):
    return sorted(path.name for path in file.parent.iterdir() if path != file)


def refused(file, kind=GradebookError, **about):
    """What is said; and nothing has been touched, nor copied."""
    before, beside = file.read_bytes(), copies(file)
    with pytest.raises(kind) as caught:
        see(file, **about)
    assert (file.read_bytes(), copies(file)) == (before, beside)
    assert type(caught.value) is kind
    return str(caught.value)


def test_a_copy_is_made_before_the_first_write(file):
    before = dump(file)
    see(file, course_id="")
    (name,) = copies(file)
    assert name.startswith("gradebook.db.backup-20")
    assert dump(file.parent / name) == before
    see(file)
    assert copies(file) == [name]  # there is nothing new to copy
    change(file, "UPDATE student SET first_name = 'Eve'")
    see(file)
    assert len(copies(file)) == 2


def test_copies_are_bounded(file):
    """The newest in any case, then the last of each day, and no more than so many."""
    for day in range(1, 29):
        for hour in ("08", "09"):
            name = f"gradebook.db.backup-2019-02-{day:02}T{hour}-00-00-000000Z"
            (file.parent / name).write_text("as it was then")
    see(file)
    newest, *others = reversed([name.removeprefix("gradebook.db.backup-") for name in copies(file)])
    assert newest.startswith("20")
    assert not newest.startswith("2019")
    of_days = [name.removeprefix("2019-02-")[:5] for name in others]
    assert of_days[:4] == ["28T09", "28T08", "27T09", "27T08"]
    assert of_days[4:] == [f"{day}T09" for day in range(26, 19, -1)]


def test_a_new_gradebook_is_made(tmp_path):
    see(tmp_path / "gradebook.db")
    assert copies(tmp_path / "gradebook.db") == []
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db", "ours") as book:
        assert book.assignments == []


def test_a_gradebook_of_another_course(file):
    with pytest.raises(GradebookError, match="of the course ours"):
        ask(foresee, file, course_id="theirs")  # before anybody is graded
    said = refused(file, course_id="theirs")
    assert "is that of the course ours, and course_id in nbgrader_config.py is theirs" in said
    change(file, "UPDATE assignment SET name = 'ps9'")
    assert "is of another course: it has ps9, and none of the" in refused(file)


def test_another_schema(file):
    change(file, "UPDATE alembic_version SET version_num = '724cde206c17'")
    said = refused(file)
    assert "has the schema 724cde206c17 of an older nbgrader: run `nbgrader db upgrade`" in said
    change(file, "UPDATE alembic_version SET version_num = 'fffffffffff0'")
    assert "a newer one has made it" in refused(file)
    change(file, "DROP TABLE alembic_version")
    assert "was not made by nbgrader, or was never finished" in refused(file)


def test_a_locked_one(file, monkeypatch):
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *of, **about: connect(*of, timeout=0.1))
    monkeypatch.setattr(sqlite3.dbapi2, "connect", lambda *of, **about: connect(*of, timeout=0.1))
    with closing(connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        ask(foresee, file)  # until a class is graded it may be free
        assert "database is locked" in refused(file, GradebookOutOfReach)
    see(file)


@pytest.mark.parametrize("harm", ["cut", "torn", "text", "empty"])
def test_a_damaged_one_and_its_copies_stay(file, harm):
    see(file)
    data = file.read_bytes()
    torn = data[:8192] + b"\xff" * 8192 + data[16384:]
    file.write_bytes({"cut": data[:9000], "torn": torn, "text": b"x" * 9000, "empty": b""}[harm])
    said = refused(file, GradebookOutOfReach)
    assert "cannot be used" in said
    assert "in its place" in said
    assert len(copies(file)) == 1


def test_no_database_at_all(tmp_path):
    with pytest.raises(GradebookOutOfReach, match="see that its folder exists"):
        see(tmp_path / "nowhere" / "gradebook.db")
    with pytest.raises(GradebookError, match="is no database"):
        see(tmp_path, url="gradebook.db")
    with pytest.raises(GradebookError, match="install the package that speaks to such a database"):
        see(tmp_path, url="mysql+pymysql://ada:secret@localhost/x")
