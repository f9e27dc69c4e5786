"""Reading a submission takes the grader a moment and little memory, whatever is in it.

The time of the processor is what is bounded: a machine that has other things to do changes nothing.
"""

import json
import resource
import time
from contextlib import suppress

import pytest
from first_notebook import NAME, SOURCE, code, notebook

from autograder.export import read_cells
from autograder.notebooks import UnreadableSubmission, banned_uses, read_submission
from autograder.notebooks.file import MAX_FILE_BYTES, MAX_SOURCE_BYTES

BYTES, SOURCE_BYTES = MAX_FILE_BYTES - 200, MAX_SOURCE_BYTES - 200


def solved(source):
    return json.dumps(notebook(code(source[:SOURCE_BYTES], "solution_attention")))


def old(version, *cells):
    return json.dumps({"nbformat": version, "worksheets": [{"cells": cells}]})


OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["a\n"]}
MANY = [f"a{n}" for n in range(5_000)]
NOTEBOOKS = {
    "millions_of_cells": '{"nbformat":3,"worksheets":[{"cells":[' + "{}," * (BYTES // 3) + "{}]}]}",
    "cells_of_version_3": old(3, *[{"cell_type": "code", "input": "x"}] * 30_000),
    "outputs_of_version_2": old(
        2, {"cell_type": "code", "input": "x", "outputs": [OUTPUT] * 14_000}
    ),
    "outputs": json.dumps(notebook({**code("x"), "outputs": [OUTPUT] * 14_000})),
    "empty_lists": '{"nbformat":4,"cells":[' + "[]," * (BYTES // 3) + "[]]}",
    "wide_characters": '{"nbformat":4,"cells":["\U0001f600' + "x" * (BYTES - 99) + '"]}',
    "nothing_but_quotes": '"' * BYTES,
    "a_string_that_never_ends": '"\\' * (BYTES // 2),
    "names_in_a_chain": solved("=".join(MANY) + "=torch.x"),
    "names_of_names": solved("=".join(MANY) + f"=[{','.join(MANY)}]"),
    "statements": solved("a;" * SOURCE_BYTES),
    "a_chain_of_attributes": solved("a" + ".b" * (SOURCE_BYTES // 2)),
    "a_tuple": solved(f"({'a,' * (SOURCE_BYTES // 2 - 9)})"),
    "functions": solved("\n".join(f"def f{n}(): f{n + 1}" for n in range(4_000))),
    "magics": json.dumps(notebook(*[code("%pwd\n" * 200)] * 70)),
    "magics_behind_a_form_feed": solved("a=\f%b\n" * 400 + "a\n" * 10_000),
    "magics_in_the_next_line": solved("a=\\\n%b\n" * 400 + "a\n" * 10_000),
}
FILES = {
    "options_of_one_word": ("# %% " + "a" * 1_990 + "\n") * (SOURCE_BYTES // 2_000),
    "options_that_never_end": ("# %% " + 'a="' * 600 + "\n") * (SOURCE_BYTES // 2_000),
    "nested_options": ("# %% nbgrader=" + "[" * 1_900 + "\n") * (SOURCE_BYTES // 2_000),
    "cells": "# %%\n" * (SOURCE_BYTES // 5),
    "a_comment": "#" + "\t" * SOURCE_BYTES,
}


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        *(pytest.param(text, ".ipynb", id=name) for name, text in NOTEBOOKS.items()),
        *(pytest.param(text, ".py", id=name) for name, text in FILES.items()),
    ],
)
def test_a_moment_is_enough(text, suffix, tmp_path):
    path = tmp_path / f"{NAME}{suffix}"
    path.write_text(text, encoding="utf-8")
    before, started = _most_memory(), time.process_time()
    with suppress(UnreadableSubmission):
        banned_uses(read_submission(path, SOURCE).cells, ["torch.x"])
    if suffix == ".ipynb":
        read_cells(path)  # as nbgrader's road does
    assert time.process_time() - started < 2
    assert _most_memory() - before < 80 << 20


def _most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
