"""A submission is rebuilt on our cells, whatever the file is; or refused with a sentence."""

import ast
import hashlib
import json
import os
import time
from pathlib import Path

import jupytext
import nbformat
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from autograder.notebooks.source import read_source
from autograder.notebooks.submission import MAX_FILE_BYTES, UnreadableSubmission, read_submission

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
SOURCE = read_source(ROOT / "solutions" / NAME / f"{NAME}.py")
RELEASED = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_text()
GIVEN = [cell.name for cell in SOURCE.cells if cell.role == "given"]
SOLUTIONS = [cell.name for cell in SOURCE.cells if cell.role == "solution"]
IN_ORDER = [cell.name for cell in SOURCE.cells if cell.role in ("given", "solution")]


def code(source, grade_id=None):
    metadata = {"nbgrader": {"grade_id": grade_id}} if grade_id else {}
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}


def notebook(*cells, **other):
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)} | other


@pytest.fixture
def read(tmp_path):
    """Reads what a student hands in: a notebook, a text or bytes."""

    def read(given, suffix=".ipynb"):
        path = tmp_path / f"{NAME}{suffix}"
        if isinstance(given, dict):
            given = json.dumps(given)
        path.write_bytes(given.encode() if isinstance(given, str) else given)
        return read_submission(path, SOURCE)

    return read


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


def added(submission):
    return [cell.source for cell in submission.cells if cell.name.endswith(" (added)")]


def sources(submission):
    return {cell.name: cell.source for cell in submission.cells}


# The instructor's source


def test_the_source_has_cells_of_every_role():
    assert SOURCE.assignment == NAME
    assert GIVEN == ["setup", "checks", "plots", "example"]
    assert SOLUTIONS == ["hand_example", "attention", "padding_mask", "causal_mask"]
    ids = [cell.grade_id for cell in SOURCE.cells if cell.role]
    assert len(ids) == len(set(ids))
    assert {"given_setup", "solution_attention", "attention_scale", "figure_scale"} <= set(ids)


def test_the_reference_is_what_is_given_and_the_solutions_without_notebook_cells():
    names = [(cell.name, cell.solution) for cell in SOURCE.reference]
    assert names == [("setup", False), ("example", False), *((name, True) for name in SOLUTIONS)]


def test_names_and_parameters_are_read_from_the_solutions():
    attention = "scaled_dot_product_attention"
    assert SOURCE.defined_in == {
        "hand_weights": "hand_example",
        "hand_output": "hand_example",
        attention: "attention",
        "padding_mask": "padding_mask",
        "causal_mask": "causal_mask",
    }
    assert SOURCE.parameters[attention] == ["q", "k", "v", "mask"]


@pytest.mark.parametrize("options", ['given="a" solution="b"', "solution=1"])
def test_a_cell_of_the_source_has_one_role_with_a_name(tmp_path, options):
    path = tmp_path / "a9.py"
    path.write_text(f"# %% {options}\nx = 1\n")
    with pytest.raises(ValueError, match=r"a9\.py: cell 1 must have one role"):
        read_source(path)


# The rebuilding


def test_the_untouched_release_is_our_cells(read):
    submission = read(RELEASED)
    assert [cell.name for cell in submission.cells] == IN_ORDER
    assert [cell.name for cell in submission.cells if cell.solution] == SOLUTIONS
    assert submission.notes == ()
    assert submission.sha256 == hashlib.sha256(RELEASED.encode()).hexdigest()
    for cell in submission.cells:
        assert ("raise NotImplementedError" in cell.source) == cell.solution


def test_what_is_given_stays_ours_whatever_the_student_wrote(read):
    changed = json.loads(RELEASED)
    for cell in changed["cells"]:
        if cell["metadata"]:
            told = cell["metadata"]["nbgrader"]
            if not told["solution"]:
                cell["source"] = "import cheat"
            told.update(points=1000, locked=False, checksum="0", schema_version="x")
            cell["outputs"] = [{"output_type": "stream", "text": "all right"}]
    submission = read(changed)
    assert submission.cells == read(RELEASED).cells
    assert submission.notes == ()


def test_deleted_cells_come_back_and_a_missing_solution_stays_missing(read):
    submission = read(notebook(code("mine = 1", "solution_attention")))
    assert [cell.name for cell in submission.cells] == [*GIVEN, "attention"]
    assert sources(submission)["attention"] == "mine = 1"


def test_the_order_is_ours(read):
    mixed = [code(name, f"solution_{name}") for name in reversed(SOLUTIONS)]
    submission = read(notebook(*mixed, code("x", "given_setup")))
    assert [cell.name for cell in submission.cells] == IN_ORDER


def test_added_cells_run_where_they_stand(read):
    submission = read(
        notebook(
            code("first"),
            code("", "given_setup"),
            code("after setup", "of my own"),
            code("", "attention_scale"),
            code("after a check"),
            code("a", "solution_attention"),
            code("after attention"),
            code("and again"),
        )
    )
    names = [cell.source if "added" in cell.name else cell.name for cell in submission.cells]
    attention = names.index("attention")
    assert names[:3] == ["first", "setup", "after setup"]
    assert names[attention : attention + 3] == ["attention", "after attention", "and again"]
    assert names[-1] == "after a check"
    assert submission.cells[0].name == "number 1 (added)"
    assert not any(cell.solution for cell in submission.cells if "added" in cell.name)


def test_of_two_answers_the_later_one_counts_and_both_are_run(read):
    first, second = code("a = 1", "solution_attention"), code("a = 2", "solution_attention")
    submission = read(notebook(first, code("between"), second))
    assert sources(submission)["attention"] == "a = 2"
    run = [cell.source for cell in submission.cells]
    assert run.index("a = 1") < run.index("between") < run.index("a = 2")
    assert submission.notes == (
        "Cells 1 and 3 both answer 'attention'; both were run, the later one last.",
    )


def test_a_second_copy_of_a_locked_cell_is_left_out(read):
    submission = read(notebook(*(code("import cheat", "given_setup") for _ in range(3))))
    assert added(submission) == []
    assert submission.notes == ()


def test_only_code_cells_count(read):
    answer = code("x = 1", "solution_attention") | {"cell_type": "markdown"}
    submission = read(notebook(answer, code("raw") | {"cell_type": "raw"}, {}, [], None, 3))
    assert [cell.name for cell in submission.cells] == GIVEN


def test_a_source_may_be_a_list_of_lines_and_one_that_is_neither_is_noted(read):
    lines, odd = code(["a = 1\n", "b = 2"]), code({"a": 1})
    submission = read(notebook(lines, odd, code([1, 2])))
    assert added(submission) == ["a = 1\nb = 2"]
    assert submission.notes == tuple(
        f"Cell {n} has no source that can be read; it was left out." for n in (2, 3)
    )


# Magics


@pytest.mark.parametrize(
    ("source", "kept", "aside"),
    [
        ("%matplotlib inline\nx = 1", "x = 1", ["%matplotlib inline"]),
        ("!pip install torch\nx = 1", "x = 1", ["!pip install torch"]),
        ("x = 1\nx?", "x = 1", ["x?"]),
        ("?print\nx = 1", "x = 1", ["?print"]),
        ("files = !ls\nx = 1", "x = 1", ["files = !ls"]),
        ("t = %timeit -o 1\nx = 1", "x = 1", ["t = %timeit -o 1"]),
        ("%%time\nx = 1", "x = 1", ["%%time"]),
        ("%%time\n%matplotlib inline\nx = 1", "x = 1", ["%%time", "%matplotlib inline"]),
        ("%%capture out\nx = 1", "x = 1", ["%%capture out"]),
        ("\n\n%%time\nx = 1", "x = 1", ["%%time"]),
        ("\n\n%time y = 2\nx = 1", "x = 1", ["%time y = 2"]),
        ("if True:\n    %pwd\n    x = 1", "x = 1", ["%pwd"]),
        ("!ls \\\n  -l\nx = 1\n%pwd", "x = 1", ["!ls \\", "%pwd"]),
        ("x = (7\n  % 2)\n%pwd", "% 2)", ["%pwd"]),
        ('x = """\n%pwd\n!ls\n"""\n!ls -l', "%pwd\n!ls\n", ["!ls -l"]),
    ],
)
def test_magics_are_set_aside_with_a_note_and_the_rest_is_kept(read, source, kept, aside):
    submission = read(notebook(code("y = 0"), code(source, "solution_attention")))
    left = sources(submission)["attention"]
    ast.parse(left)
    assert kept in left
    assert submission.notes == tuple(f"Cell 2: {line} was set aside." for line in aside)


@pytest.mark.parametrize("first", ["%%bash", "%%html", "%%writefile x.py", "%%timer", "%%"])
def test_a_cell_in_another_language_is_not_run(read, first):
    submission = read(notebook(code(f"{first}\nimport cheat")))
    assert added(submission) == [""]
    assert submission.notes == (f"Cell 1: {first} was set aside.",)


@pytest.mark.parametrize(
    "source",
    ["x = (7\n  % 2)", '"""\n%pwd\n"""', "# %pwd", "x = 7 % 2", "def f(:\n%pwd", "(" * 999],
)
def test_what_is_python_or_nothing_at_all_is_left_alone(read, source):
    submission = read(notebook(code(source)))
    assert added(submission) == [source]
    assert submission.notes == ()


def test_setting_magics_aside_takes_bounded_time_and_few_notes(read):
    many = "\n".join(f"%magic_{n}" for n in range(600))
    long = "%a\n" * 100 + "x = 1\n" * 10_000
    cells = [code(many), code(long), *(code(f"%magic_{n} " * 9) for n in range(1000))]
    started = time.perf_counter()
    submission = read(notebook(*cells))
    assert time.perf_counter() - started < 10
    assert len(submission.notes) <= 50


def test_more_magics_than_ipython_takes_are_left_to_fail_when_run(read):
    submission = read(notebook(code("%a\n" * 501)))
    assert added(submission) == ["%a\n" * 501]
    assert submission.notes == ()


def test_a_note_is_short_and_can_be_written_as_json(read):
    submission = read(notebook(code("%%bash " + "x" * 1000), code("%matplotlib \ud800")))
    assert [len(note) for note in submission.notes] == [83, 36]
    "".join(submission.notes).encode()


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
        "# %% " + "a=1 " * 20_000 + "\nx = 1\n",
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
        ("", "a1_attention.ipynb is empty."),
        (" \n", "a1_attention.ipynb is empty."),
        (RELEASED[: len(RELEASED) // 2], "its JSON breaks off or is damaged"),
        ("[" * 100_000, "its JSON breaks off or is damaged"),
        ("1" * 10_000, "its JSON breaks off or is damaged"),
        ("[]", "is JSON, but not a notebook"),
        ("{}", "says nbformat None; versions 1 to 4 can be read"),
        ({"nbformat": 5}, "says nbformat 5; versions 1 to 4 can be read"),
        ({"nbformat": "x" * 9000}, "says nbformat 'xxx"),
        ({"nbformat": [[[]]]}, "says nbformat in no number"),
        ({"nbformat": 3}, "cannot be brought to version 4"),
        ({"nbformat": True}, "cannot be brought to version 4"),
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
    assert "200000 cells" in refusal("# %%\n" * 200_000, ".py")
    assert "too long" in refusal("x = 1\n" * 400_000, ".py")
    assert time.perf_counter() - started < 5


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path):
    path = tmp_path / f"{NAME}.ipynb"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(UnreadableSubmission, match="has 1048576 MiB; at most 16 MiB"):
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
    for name in ("link", "folder", "pipe"):
        with pytest.raises(UnreadableSubmission, match=f"{name}.ipynb is not a regular file"):
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
