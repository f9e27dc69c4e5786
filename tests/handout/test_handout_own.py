"""What a course tries by a function of its own is told as every other check is."""

import pytest
from students_notebook import ROOT, checks_in, notebook_of, shell_of

NAME = "a7_faster_decoding"
FUNCTION = "greedy_decode_cached"


@pytest.fixture(scope="module")
def checks():
    with checks_in(ROOT / "assignments" / NAME) as found:
        yield found


@pytest.fixture
def notebook(monkeypatch, checks):
    return notebook_of(NAME, monkeypatch)


@pytest.fixture
def shell(monkeypatch):
    return shell_of(monkeypatch)


def define(notebook, *lines):
    source = "\n    ".join([f"def {FUNCTION}(model, source, start_id, end_id, max_len):", *lines])
    exec(compile(source, "<my cell>", "exec"), vars(notebook))


def test_what_is_not_defined_or_still_the_stub_waits(checks, notebook, shell):
    define(notebook, "raise NotImplementedError()")
    checks.check("cached_work")
    assert (
        f"{FUNCTION} is still the stub: write your code in the place of its raise."
        in shell.texts[-1]
    )
    delattr(notebook, FUNCTION)
    checks.check("cached_work")
    assert f"{FUNCTION} is not defined: run the cell that defines it first." in shell.texts[-1]
    assert all("○" in page and "✗" not in page for page in shell.pages)


def test_an_exception_is_told_with_its_line(checks, notebook, shell):
    define(notebook, "return {}[source]")
    checks.check("cached_work")
    assert f"in your cell [7], line 2, in {FUNCTION}" in shell.texts[-1]
    assert "✗" in shell.pages[-1]


def test_what_is_right_is_told_with_what_is_graded(checks, notebook, shell):
    checks.check("cached_work")
    assert "129,204 multiplications for 32 tokens; up to 193,806 are right." in shell.texts[-1]
    assert "When it is graded, with other inputs:" in " ".join(shell.texts[-1].split())
