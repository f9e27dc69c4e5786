"""The gradebook is opened, or a sentence says what is wrong with it and what to do."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from alembic.script import ScriptDirectory
from nbgrader.api import Gradebook, InvalidEntry
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, SQLAlchemyError

from autograder.export.scripts import scripts_on_path

__all__ = ["GradebookError", "GradebookOutOfReach", "file_of", "looked_into", "open_gradebook"]
__all__ += ["shown"]

_DAMAGED = ("malformed", "not a database", "disk image")


class GradebookError(Exception):
    """The gradebook cannot take these scores; the message says what to do next."""


class GradebookOutOfReach(GradebookError):
    """It cannot be opened, read or written: it is locked or damaged, or the disk is full."""


def shown(db_url: str) -> str:
    """Where a gradebook is, for people: a name and a password may stand before it."""
    return db_url.rpartition("@")[2]


def file_of(db_url: str) -> Path | None:
    """The file of a gradebook that is one: SQLite's. Raises GradebookError for no URL."""
    try:
        url = make_url(db_url)
    except ArgumentError as error:
        raise GradebookError(f"db_url in nbgrader_config.py is no database: {error}") from error
    of_a_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return Path(str(url.database)) if of_a_file else None


@contextmanager
def open_gradebook(db_url: str, course_id: str = "default_course") -> Iterator[Any]:
    """nbgrader's Gradebook, closed afterwards, with the database's complaints as GradebookError."""
    with _told(db_url):
        file = file_of(db_url)
        # nbgrader runs the `alembic` command, which stands beside this interpreter.
        with scripts_on_path("alembic"):
            if file is not None and not file.exists():
                _make(file, db_url, course_id)
            gradebook = Gradebook(db_url, course_id)
        with gradebook:
            yield gradebook


def _make(file: Path, db_url: str, course_id: str) -> None:
    """Make a gradebook whole or not at all: of half a one nbgrader can make nothing."""
    draft = file.with_name(f"{file.name}.new-{os.getpid()}")
    try:
        url = make_url(db_url).set(database=str(draft))
        with Gradebook(url.render_as_string(hide_password=False), course_id):
            pass
        with suppress(FileExistsError):  # somebody else was first
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def looked_into(db_url: str) -> Iterator[Connection | None]:
    """A connection to a gradebook whose schema is this nbgrader's; None where there is none yet.

    Nothing is written. Raises GradebookError for another schema, or for what is no gradebook.
    """
    file = file_of(db_url)
    if file is not None and not file.exists():  # a look would make one
        yield None
        return
    with _told(db_url):
        engine = create_engine(db_url)
        try:
            with engine.connect() as connection:
                tables = inspect(connection).get_table_names()
                if tables:
                    _refuse_another_schema(connection, tables, db_url)
                yield connection if tables else None
        finally:
            engine.dispose()


def _refuse_another_schema(connection: Connection, tables: list[str], db_url: str) -> None:
    of = f"the gradebook {shown(db_url)}"
    aside = "move it aside, or put a copy of the gradebook in its place"
    if "alembic_version" not in tables or "submitted_assignment" not in tables:
        raise GradebookError(
            f"{of} was not made by nbgrader, or was never finished: it lacks tables that every "
            f"gradebook has; {aside}"
        )
    found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    known = _revisions()
    if found == known[0]:
        return
    if found in known:
        raise GradebookError(
            f"{of} has the schema {found} of an older nbgrader: run `nbgrader db upgrade`, which "
            "keeps a copy of it, then run this again"
        )
    raise GradebookError(
        f"{of} has the schema {found}, which this nbgrader does not know: a newer one has made it; "
        f"install that one, or {aside}"
    )


@cache
def _revisions() -> tuple[str, ...]:
    """The schemas that this nbgrader knows, its own first."""
    scripts = ScriptDirectory(ALEMBIC_DIR)
    return tuple(each.revision for each in scripts.walk_revisions())


@contextmanager
def _told(db_url: str) -> Iterator[None]:
    """What a database complains of as a GradebookError."""
    try:
        yield
    except ImportError as error:
        raise GradebookError(
            f"the gradebook {shown(db_url)} cannot be used: {error}; install the package that "
            "speaks to such a database; for PostgreSQL, psycopg2-binary, and db_url begins with "
            "postgresql+psycopg2://"
        ) from error
    except CalledProcessError as error:  # nbgrader's alembic, of which somebody made an end
        raise GradebookOutOfReach(
            f"the gradebook {shown(db_url)} cannot be used: {error}; run this again"
        ) from error
    except (SQLAlchemyError, InvalidEntry) as error:
        why = error.orig if isinstance(error, DBAPIError) else error.args[0]
        of = f"the gradebook {shown(db_url)} cannot be used: {why}"
        if isinstance(error, DatabaseError) and any(each in str(why) for each in _DAMAGED):
            raise GradebookOutOfReach(
                f"{of}; it is damaged: move it aside, put a copy in its place (they lie beside "
                "it, with .backup in their names), then run this again"
            ) from error
        raise GradebookOutOfReach(
            f"{of}; see that its folder exists, that you may write there and that no other program "
            "holds it, then run this again"
        ) from error
