"""A submission is read whatever form its file has; or refused with a sentence."""

import json
import os
import time

import jupytext
import nbformat
import pytest
from first_notebook import (
    GIVEN,
    IN_ORDER,
    NAME,
    RELEASED,
    ROOT,
    SOLUTIONS,
    SOURCE,
    added,
    code,
    notebook,
    sources,
)
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from autograder.notebooks.file import MAX_FILE_BYTES
from autograder.notebooks.finding import UnreadableSubmission
from autograder.notebooks.submission import read_submission


@pytest.fixture
def refusal(read):
    def refusal(given, suffix=".ipynb"):
        with pytest.raises(UnreadableSubmission) as caught:
            read(given, suffix)
        message = str(caught.value)
        message.encode()
        assert len(message) < 300
        return message

    return refusal


# Other forms of the file


def test_the_release_as_jupytext_writes_it_is_the_same_submission(read):
    text = jupytext.writes(nbformat.reads(RELEASED, as_version=4), fmt="py:percent")
    submission = read(text, ".py")
    expected = read(RELEASED)
    assert submission.cells == expected.cells
    assert submission.notes == ()


def test_our_own_source_with_its_role_keys_is_full(read):
    text = (ROOT / "solutions" / NAME / f"{NAME}.py").read_text()
    for ends in ("\n", "\r\n"):
        submission = read(text.replace("\n", ends), ".py")
        assert [cell.name for cell in submission.cells] == IN_ORDER
        answers = {cell.name: cell.source for cell in SOURCE.cells if cell.role == "solution"}
        assert {c.name: c.source for c in submission.cells if c.solution} == answers


def test_a_percent_file_may_have_cells_of_any_kind(read):
    text = (
        "x = 0\n#%%\nx = 1\n# %% a title\nx = 2\n# %% [markdown]\n# Text\n# %% [raw]\nraw\n"
        '# %% solution="attention"\nx = 3\n# %%time\nx = 4\n# %% nbgrader={"grade_id": "oh'
    )
    submission = read(text, ".py")
    assert added(submission) == ["x = 0", "x = 1", "x = 2", ""]
    assert sources(submission)["attention"] == "x = 3\n# %%time\nx = 4"


@pytest.mark.parametrize(
    "text",
    [
        "# ---\n# jupyter:\n#   x: [\n# ---\n# %%\nx = 1\n",
        "# ---\n# jupyter:\n#   - a\n# ---\n# %%\nx = 1\n",
        "# ---\n# jupyter:\n#   x: " + "[" * 3000 + "\n# ---\n# %%\nx = 1\n",
        "# -*- coding: latin-1 -*-\n# %%\nx = 1\n",
        "# %% " + "a=1 " * 10_000 + "\nx = 1\n",
        "# %% a=" + "[" * 5000 + "\nx = 1\n",
        '# %% nbgrader={"grade_id": ' + "[" * 1500 + "\nx = 1\n",
        "# %% nbgrader=[1]\nx = 1\n",
    ],
)
def test_a_headers_nonsense_does_no_harm(read, text):
    assert added(read(text, ".py")) == ["x = 1"]


def test_a_notebook_of_version_3_is_read(read):
    cells = [
        {
            "cell_type": "code",
            "input": f"x = {n}",
            "metadata": {"nbgrader": {"grade_id": f"solution_{name}"}},
            "outputs": [],
            "language": "python",
        }
        for n, name in enumerate(SOLUTIONS)
    ]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}
    submission = read(old)
    assert [cell.name for cell in submission.cells] == IN_ORDER
    assert sources(submission)["causal_mask"] == "x = 3"


def test_a_byte_order_mark_is_no_obstacle(read):
    assert read(b"\xef\xbb\xbf" + RELEASED.encode()).cells == read(RELEASED).cells


# What cannot be read


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "a1_attention.ipynb is empty: ask for the whole file."),
        (b"PK\x03\x04" + bytes(20), "a1_attention.ipynb is a zip and no notebook: unpack it"),
        (" \n", "a1_attention.ipynb is empty: ask for the whole file."),
        (RELEASED[: len(RELEASED) // 2], "its JSON breaks off or is damaged"),
        ("[" * 100_000, "its JSON breaks off or is damaged"),
        ("1" * 10_000, "its JSON breaks off or is damaged"),
        ("[]", "is JSON, but not a notebook"),
        ("{}", "says nbformat None; versions 1 to 4 can be read"),
        ({"nbformat": 5}, "says nbformat 5; versions 1 to 4 can be read"),
        ({"nbformat": "x" * 9000}, "says nbformat 'xxx"),
        ({"nbformat": [[[]]]}, "says nbformat in no number"),
        ({"nbformat": 3}, "has no list of cells"),
        ({"nbformat": True}, "has no list of cells"),
        ({"nbformat": 4}, "has no list of cells: is it a notebook?"),
        (notebook(cells={}), "has no list of cells"),
        (notebook(*[{}] * 2001), "2001 cells; at most 2000 can be read"),
        (notebook(*[code("x" * 600_000)] * 2), "is too long for this assignment"),
        (RELEASED.encode("utf-16"), "is not UTF-8 text (byte 0)"),
        (RELEASED.encode()[:100] + b"\xff", "is not UTF-8 text (byte 100)"),
        (
            notebook(metadata={"autograder": {"assignment": "a2_multi_head"}}),
            "this is the notebook of 'a2_multi_head', handed in as 'a1_attention'.",
        ),
        (
            notebook(metadata={"autograder": {"assignment": "\ud800" * 999}}),
            "this is the notebook of",
        ),
    ],
)
def test_a_file_that_is_no_notebook_is_refused_with_a_sentence(refusal, given, said):
    assert said in refusal(given)


def test_a_percent_file_that_is_too_long_is_refused_at_once(refusal):
    started = time.perf_counter()
    assert "10000 cells" in refusal("# %%\n" * 10_000, ".py")
    assert "too long" in refusal("x = 1\n" * 400_000, ".py")
    assert time.perf_counter() - started < 5


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path):
    path = tmp_path / f"{NAME}.ipynb"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(UnreadableSubmission, match="has 1048576 MiB; at most 8 MiB"):
        read_submission(path, SOURCE)
    os.truncate(path, MAX_FILE_BYTES + 1)
    with pytest.raises(UnreadableSubmission, match="Clear all outputs"):
        read_submission(path, SOURCE)


def test_only_a_regular_file_is_read(tmp_path):
    real = tmp_path / "real.ipynb"
    real.write_text(RELEASED)
    (tmp_path / "link.ipynb").symlink_to(real)
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name, said in (("link", "a link, and"), ("folder", "no regular"), ("pipe", "no regular")):
        with pytest.raises(UnreadableSubmission, match=f"{name}.ipynb is {said}"):
            read_submission(tmp_path / f"{name}.ipynb", SOURCE)
    with pytest.raises(UnreadableSubmission, match="cannot be read: No such file"):
        read_submission(tmp_path / "none.ipynb", SOURCE)


# Arbitrary JSON

TEXTS = st.sampled_from(
    [
        *("code", "markdown", "solution_attention", "given_setup", "attention_scale", NAME),
        *("x = 1", "%%time\n!ls", "%pwd", "x?", "a = !ls", "\ud800", "\0", "(", "%%bash", "%a\\"),
    ]
) | st.text(st.characters(), max_size=9)
PLAIN = st.none() | st.booleans() | st.integers(-1, 9) | st.floats() | TEXTS
KEYS = st.sampled_from(
    [
        *("cells", "cell_type", "source", "metadata", "nbgrader", "grade_id", "autograder"),
        *("assignment", "nbformat", "solution", "given", "outputs", "input", "worksheets"),
    ]
)
ANY = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5)
)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.just("code") | ANY, "source": TEXTS | st.lists(TEXTS) | ANY},
    optional={
        "metadata": st.fixed_dictionaries({"nbgrader": st.fixed_dictionaries({"grade_id": TEXTS})})
        | ANY
    },
)
NOTEBOOKS = st.fixed_dictionaries(
    {"nbformat": st.sampled_from([4, 4, 3, 2, 1]) | ANY, "cells": st.lists(CELLS | ANY) | ANY},
    optional={"metadata": ANY, "worksheets": st.lists(ANY) | ANY},
)


@settings(
    deadline=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example({"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": 1}]}]})
@example({"nbformat": 4, "cells": [code("x", {"a": []})], "metadata": {"autograder": []}})
@given(NOTEBOOKS | ANY)
def test_arbitrary_json_is_read_or_refused(tmp_path, value):
    path = tmp_path / "any.ipynb"
    path.write_text(json.dumps(value))
    try:
        submission = read_submission(path, SOURCE)
    except UnreadableSubmission as error:
        str(error).encode()
    else:
        assert [c.name for c in submission.cells if c.name in GIVEN] == GIVEN
        json.dumps(submission.notes, ensure_ascii=False).encode()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            [
                *("# %%", "#%% [markdown]", '# %% solution="attention"', "# ---", "# jupyter:"),
                *("#   x: [", "%pwd", "x = 1", "!ls", '"""', '# %% nbgrader={"grade_id": 1}', "\0"),
            ]
        )
        | st.text(max_size=5)
    )
)
def test_an_arbitrary_percent_file_is_read(tmp_path, lines):
    path = tmp_path / "any.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    submission = read_submission(path, SOURCE)
    assert [c.name for c in submission.cells if c.name in GIVEN] == GIVEN
