"""How a notebook shows what its checks say: blocks that open, a table, figures that wait."""

import importlib

import pytest
import torch
from students_notebook import ROOT, checks_in, notebook_of, shell_of

NAME = "a1_attention"
ATTENTION = "scaled_dot_product_attention"


@pytest.fixture(scope="module")
def checks():
    """The checks as they lie in the release."""
    with checks_in(ROOT / "assignments" / NAME) as found:
        yield found


@pytest.fixture
def shell(monkeypatch):
    return shell_of(monkeypatch)


@pytest.fixture
def notebook(monkeypatch):
    return notebook_of(NAME, monkeypatch)


def define(notebook, source):
    exec(compile(source, "<my cell>", "exec"), vars(notebook))


def not_scaled(q, k, v, mask=None):
    weights = (q @ k.mT).softmax(-1)
    return weights @ v, weights


def test_a_failure_is_shown_and_raises_nothing(checks, shell, notebook):
    notebook.scaled_dot_product_attention = not_scaled
    checks.check("attention_output")
    assert "The smallest example: scaled_dot_product_attention(q=" in shell.texts[0]
    page = shell.pages[0]
    assert page.startswith("<details ")
    assert page.count("The scores are not scaled at all") == 1  # it is said above the rest
    assert "<style" not in page  # which a notebook that is not trusted would lose


def test_where_nbgrader_runs_the_notebook_a_failure_raises(checks, shell, notebook, monkeypatch):
    notebook.scaled_dot_product_attention = not_scaled
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(checks.CheckFailed, match=r"^attention_output: not yet right") as caught:
        checks.check("attention_output")
    assert shell.texts == []
    # Validate's window cuts off what is longer.
    assert max(map(len, str(caught.value).splitlines())) <= 96


def test_an_exception_is_told_with_its_cell_and_line(checks, shell, notebook):
    define(notebook, f"def {ATTENTION}(q, k, v, mask=None):\n    return q @ v")
    checks.check("attention_output")
    assert f"in your cell [7], line 2, in {ATTENTION}" in " ".join(shell.texts[0].split())


def test_a_pass_is_a_tick_and_a_line_that_opens(checks, shell, notebook):
    checks.check("causal_mask")
    assert "✓" in shell.pages[0]
    line, _, more = shell.pages[0].partition("</summary>")
    assert "public case" in line
    assert line.endswith(" (Open: what is graded.)")
    assert "When it is graded, with other inputs:</div><ul><li>" in more


def test_no_word_is_cut_and_none_is_lost(checks):
    long = "  word " * 60 + "x" * 120
    lines = importlib.import_module("checks.shown").wrapped(long).splitlines()
    assert " ".join(lines).split() == long.split()
    assert max(len(line) for line in lines if "x" not in line) <= 96


def test_what_a_student_wrote_is_no_html(checks, shell, notebook):
    define(notebook, f"def {ATTENTION}(q, k, v, mask=None):\n    raise ValueError('<b>')")
    checks.check("attention_output")
    assert "&lt;b&gt;" in shell.pages[0]
    assert "ValueError: <b>" not in shell.pages[0]


def test_without_a_name_all_items_are_a_table(checks, shell, notebook):
    notebook.scaled_dot_product_attention = not_scaled
    del notebook.padding_mask
    checks.check()
    rows = {line.split("  ")[-1].strip() for line in shell.texts[0].splitlines()[1:-2]}
    assert {"not yet right", "not written yet", "right, as far as it is tried here"} <= rows
    assert "2 of 22 points are right here" in shell.texts[0]  # of the causal mask alone
    assert shell.pages[0].count("<tr>") == 12


# Figures


def test_a_figure_says_what_to_write_or_to_mend_first(checks, shell, notebook):
    source = "def draw():\n    output, weights = scaled_dot_product_attention(example_q, 1, 2)"
    define(notebook, source)
    drawn = checks.drawing(notebook.draw)
    drawn()
    assert "raised AttributeError" in shell.texts[-1]  # the figure's own fault, in a line
    notebook.scaled_dot_product_attention = not_scaled
    drawn()
    mend = 'Mend attention_output first ("The output"): The scores are not scaled at all'
    assert " ".join(shell.texts[-1].split()).startswith(f"Nothing to show yet. {mend}")
    notebook.scaled_dot_product_attention = lambda q, k, v: None
    drawn()
    assert shell.texts[-1].startswith("Nothing to show yet. Mend attention_output first")
    define(notebook, f"def {ATTENTION}(*args):\n    raise NotImplementedError()")
    drawn()
    assert shell.texts[-1].startswith(f"Nothing to show yet. {ATTENTION} is still the stub")
    del notebook.scaled_dot_product_attention
    drawn()
    assert f"{ATTENTION} is not defined: run the cell" in shell.texts[-1]


def test_a_figure_that_can_be_drawn_is(checks, shell, notebook):
    define(notebook, f"def draw():\n    return {ATTENTION}(example_q, example_k, example_v)[1]")
    assert torch.equal(checks.drawing(notebook.draw)().sum(-1), torch.ones(2))
    assert shell.texts == []
