"""Codes and markup in names and texts of students reach no terminal and no page as such."""

import shutil

import nbformat
import pytest
from typer.testing import CliRunner

from autograder.cli import app

NAME = "squares"
CODE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
MARKUP = "[/nope] [bold red]x[/] [link=file:///etc/passwd]y[/link] <img src=x onerror=alert(1)>"
ODD = [
    "\x1b[31mred\x1b[2J",
    "[link=x]y",
    "[bold red]loud",
    "<b>&amp;",
    "two\nlines",
    "a\u202eb",
    "-rf",
    "%s{0}",
]


@pytest.fixture
def odd(here):
    """A class of names that do more than to name; a cell and a file of each kind."""
    for at, name in enumerate(ODD):
        folder = here / "submitted" / name / NAME
        shutil.copytree(here / "submitted" / "bob" / NAME, folder)
        path = folder / f"{NAME}.ipynb"
        notebook = nbformat.read(path, 4)
        cell = nbformat.v4.new_code_cell(f"raise ValueError({CODE + MARKUP!r})\n# {at}")
        cell["id"] = f"cell{at}"
        notebook.cells.insert(0, cell)
        nbformat.write(notebook, path)
        (folder / f"{name}.txt").write_text("beside")
    (here / "submitted" / "eve" / NAME / f"{NAME}.ipynb").rename(
        here / "submitted" / "eve" / NAME / f"{CODE}[blink].ipynb"
    )
    (here / "submitted" / CODE).write_text("a file where a folder is expected")
    return here


def invoked(*words):
    done = CliRunner().invoke(app, [str(each) for each in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert all(each.isprintable() or each == "\n" for each in done.output), ascii(done.output)
    return done


@pytest.mark.slow
def test_no_code_reaches_the_terminal_and_no_markup_counts(odd):
    graded = invoked("grade", NAME, "--jobs", "1")
    assert "link=x" in graded.output
    assert "bold red" in graded.output
    for words in (
        ("grade", NAME, "--jobs", "1", "--student", CODE),
        ("pages", NAME),
        ("similar", NAME),
        ("check", odd / "submitted" / ODD[0] / NAME),
        ("check", odd / "submitted" / "[link=x]y" / NAME / f"{NAME}.ipynb"),
        ("check", CODE),
        ("check", "[/nope].ipynb"),
        ("grade", "[/nope]"),
        ("grade", NAME, "--course", "[/nope]" + CODE),
        ("collect", NAME, "[/nope]" + CODE),
        ("export", NAME, "canvas", "[/nope]"),
    ):
        invoked(*words)
    for page in odd.rglob("*.html"):
        text = page.read_text()
        assert "<img src=x" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
