"""A submission is rebuilt on our cells, and magics are set aside."""

import ast
import hashlib
import json
import time

import pytest
from first_notebook import GIVEN, IN_ORDER, RELEASED, SOLUTIONS, added, code, notebook, sources

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
    long = "%a\n" * 100 + "x = 1\n" * 5_000
    cells = [code(many), code(long), *(code(f"%magic_{n} " * 9) for n in range(200))]
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
