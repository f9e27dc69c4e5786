"""While a check runs: prints are cut, an interrupt is told with the line that it came in."""

import pytest
from students_notebook import ROOT, checks_in, notebook_of, shell_of

NAME = "a1_attention"
LOOP = """def causal_mask(size, device=None):
    while True:
        raise KeyboardInterrupt  # as Jupyter does
"""


@pytest.fixture(scope="module")
def checks():
    with checks_in(ROOT / "assignments" / NAME) as found:
        yield found


@pytest.fixture
def notebook(monkeypatch):
    return notebook_of(NAME, monkeypatch)


def define(notebook, source):
    exec(compile(source, "<my cell>", "exec"), vars(notebook))


@pytest.mark.parametrize("asked", ["causal_mask", None])
def test_an_interrupt_is_told_with_the_line_and_stops_the_cells_behind(
    checks, notebook, monkeypatch, asked
):
    shell = shell_of(monkeypatch)
    define(notebook, LOOP)
    with pytest.raises(checks.CheckFailed) as caught:
        checks.check(asked)
    assert caught.value._render_traceback_() == [str(caught.value)]
    assert str(caught.value).splitlines() == [
        f"{asked or 'check()'} was interrupted; your code was then",
        "    in your cell [7], line 3, in causal_mask",
        "Does a loop there never end?",
    ]
    assert shell.texts == []


def test_an_interrupt_between_the_students_lines_has_none(checks, notebook):
    def causal_mask(size, device=None):
        raise KeyboardInterrupt

    notebook.causal_mask = causal_mask
    with pytest.raises(checks.CheckFailed, match=r"^causal_mask was interrupted\.$"):
        checks.check("causal_mask")


@pytest.mark.parametrize("said", ["x" * 30, "x" * 200])
def test_what_is_printed_in_a_loop_is_cut_and_the_verdict_stands_behind_it(
    checks, notebook, capsys, said
):
    source = (
        f"def causal_mask(size, device=None):\n    for _ in range(9999):\n        print('{said}')"
    )
    define(notebook, source)
    with pytest.raises(checks.CheckFailed, match="None: is there a return"):
        checks.check("causal_mask")
    printed = capsys.readouterr().out
    assert 600 <= len(printed) < 2100
    *lines, last = printed.splitlines()
    assert len(lines) <= 21
    words = last.split()
    assert words[:2] == ["…", "and"]
    assert int(words[2]) % 9999 == -sum(line == said for line in lines) % 9999
    assert words[3:] == ["more", "lines"]


def test_a_few_lines_are_printed_as_they_are(checks, notebook, capsys):
    right = notebook.causal_mask
    notebook.causal_mask = lambda size, device=None: print("here") or right(size, device)
    checks.check("causal_mask")
    assert capsys.readouterr().out.startswith("here\ncausal_mask: ")
