"""Broken and hostile submissions: each gets its verdict, none leaves anything behind.

What lies in hostile/ says its verdict in its name; so do the functions here, which break a whole
and right notebook in one place. Nothing of this is ever run outside the walls. The files are
graded by a server that grades the right and the wrong ones, too, whose tests see whether one of
them harmed its neighbours; behind the worst of them an honest one looks around on the very same
server.
"""

import json
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest

from autograder.course.result import Result, Verdict
from autograder.grading import grade
from autograder.proof.samples import answered, as_saved, overlaid
from autograder.sandbox import walls

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
FILES = [  # `make verify` grades those of the others
    (NAME, path.stem) for path in sorted(ROOT.glob(f"solutions/{NAME}/hostile/*"))
]
# What either wall must hold up against, each on a server of its own.
KEY_ATTACKS = [
    "error__folders_without_end",
    "error__one_large_file",
    "passed__changes_files_it_may_not_write",
    "passed__every_way_to_a_process",
    "passed__fork_bomb",
    "passed__imports_the_grader",
    "passed__kills_the_server",
    "passed__leaves_something_for_the_next",
    "passed__modules_replaced",
    "passed__network",
    "passed__priority_of_the_server",
    "passed__reads_what_is_not_its_own",
    "passed__signals_to_others",
    "passed__traces_the_server",
    "passed__traps_in_the_scratch_folder",
    "timeout__infinite_loop_in_causal_mask",
]
CAUSAL = {"causal_mask", "masks_together"}
HONEST = """# The reference, which looks around first.
# %%
import math
import os

import torch

assert os.listdir(".") == []
assert torch.equal(torch.ones(2), torch.ones(2)) and not torch.equal(torch.ones(2), torch.zeros(2))
assert "LOOT" not in os.environ
"""


@pytest.fixture(scope="module")
def right(course, samples):
    return answered(course, NAME, samples["untouched_stub"].data)


@pytest.fixture
def look(grade_bytes, right, server):
    """Grades what is handed in, and then somebody honest on the same server."""

    def look_at(data, verdict, fails):
        result = grade_bytes(data)
        bad = {item.item: item for item in result.items if item.verdict is not Verdict.PASSED}
        assert {item.verdict for item in bad.values()} == ({verdict} if fails else set())
        assert set(bad) == set(fails)
        check_that_it_can_be_shown(result)
        check_that_nothing_is_left(result, grade_bytes(as_saved(overlaid(right, HONEST))))
        return result

    return look_at


def check_that_it_can_be_shown(result):
    said = result.model_dump_json()
    assert "LOOT" not in said
    assert Result.model_validate_json(said) == result
    assert len(result.notes) <= 80
    for text in (*(item.message or "" for item in result.items), *result.notes):
        assert len(text) < 3_000
        assert all(each.isprintable() or each in "\n\t" for each in text)


def check_that_nothing_is_left(result, after):
    assert [item.message for item in after.items if item.message] == []
    assert after.notes == ()


@pytest.mark.parametrize(("assignment", "stem"), FILES)
def test_a_file(assignment, stem, samples_of, graded):
    verdict, _, name = stem.partition("__")
    sample, result = samples_of(assignment)[name], graded(assignment, name)
    assert sample.verdict == verdict
    assert bool(sample.fails) == (verdict != "passed")
    assert sample.misjudged(result) is None
    check_that_it_can_be_shown(result)


@pytest.mark.parametrize("server", walls.STANDING, indirect=True)
@pytest.mark.parametrize("stem", KEY_ATTACKS)
def test_nothing_is_left_of_a_key_attack(stem, samples, look, server):
    verdict, _, name = stem.partition("__")
    look(samples[name].data, Verdict(verdict), samples[name].fails)


# A right notebook, broken in one place. What returns nothing has changed the notebook that it was
# given, and may cost the causal mask alone; what returns bytes hands in those, and costs all.


def solution(notebook, name="causal_mask"):
    return next(
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == f"solution_{name}"
    )


def passed__points_and_metadata_rewritten(notebook):
    notebook.metadata["autograder"]["points"] = 1_000
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata["nbgrader"] |= {"points": 1_000, "locked": False, "grade": True}
            cell.metadata["nbgrader"]["checksum"] = "0" * 32


def passed__given_cells_and_checks_rewritten(notebook):
    for cell in notebook.cells:
        found = cell.metadata.get("nbgrader", {})
        if found and not found["solution"]:
            cell.source = "import sys\nsys.exit('rewritten')\nimport math as torch"


def passed__given_cells_and_checks_deleted(notebook):
    notebook.cells = [
        cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")
    ]


def passed__cells_in_reverse(notebook):
    notebook.cells.reverse()


def passed__the_same_id_everywhere(notebook):
    for cell in notebook.cells:
        cell["id"] = "same"


def passed__every_cell_twice(notebook):
    notebook.cells = [deepcopy(cell) for cell in notebook.cells for _ in range(2)]


def passed__id_of_the_solution_lost(notebook):
    del solution(notebook).metadata["nbgrader"]


def passed__id_of_the_solution_in_another_cell_too(notebook):
    notebook.cells.append(deepcopy(solution(notebook)))
    solution(notebook).source = "raise ValueError('an earlier try')"


def passed__metadata_of_odd_types(notebook):
    for number, cell in enumerate(notebook.cells):
        if not cell.metadata.get("nbgrader", {}).get("solution"):
            cell["metadata"] = [None, [], "x", 1, {"nbgrader": []}, {"nbgrader": None}][number % 6]
    notebook["metadata"] = []


def passed__sources_as_lists_of_lines(notebook):
    for cell in notebook.cells:
        cell["source"] = cell.source.splitlines(keepends=True)


def passed__outputs_of_seven_mebibytes(notebook):
    output = nbformat.v4.new_output("stream", text="passed\n" * (7 << 20 >> 3))
    solution(notebook).outputs = [output]


def passed__thousands_of_magics(notebook):
    lines = "\n".join(f"%timeit x{n} = {n}" for n in range(3_000))
    notebook.cells.append(nbformat.v4.new_code_cell(lines))


def passed__a_chain_of_functions_to_a_banned_call(notebook):
    chain = [f"def f{n}(): return f{n + 1}()" for n in range(2_000)]
    chain.append("def f2000(): return torch.nn.functional.scaled_dot_product_attention")
    notebook.cells.append(nbformat.v4.new_code_cell("\n".join(chain)))


def passed__a_thousand_cells_that_fail(notebook):
    for number in range(1_000):
        source = f"raise ValueError('{number} ' * 1000)"
        notebook.cells.append(nbformat.v4.new_code_cell(source, id=f"fails_{number}"))


def passed__long_chains_of_attributes(notebook):
    chain = f"a{'.b' * 2_500}\n"
    notebook.cells.append(nbformat.v4.new_code_cell(f"def f():\n{f'    {chain}' * 10}"))


def passed__parentheses_too_deep_in_an_added_cell(notebook):
    for source in ("(" * 20_000, "-" * 20_000 + "1", "x = " + "[" * 5_000 + "]" * 5_000):
        notebook.cells.append(nbformat.v4.new_code_cell(source))


def passed__with_a_byte_order_mark(notebook):
    return b"\xef\xbb\xbf" + as_saved(notebook)


def passed__saved_in_version_3(notebook):
    return nbformat.writes(nbformat.convert(notebook, 3), version=3).encode()


def missing__solution_deleted(notebook):
    notebook.cells.remove(solution(notebook))


def missing__solution_turned_into_text(notebook):
    solution(notebook)["cell_type"] = "markdown"


def missing__solution_of_an_odd_type(notebook):
    solution(notebook)["cell_type"] = ["code"]


def missing__solution_commented_out(notebook):
    cell = solution(notebook)
    cell.source = "\n".join(f"# {line}" for line in cell.source.splitlines())


def missing__function_renamed(notebook):
    solution(notebook).source = solution(notebook).source.replace("causal_mask", "causalMask")


def error__null_character_in_the_source(notebook):
    solution(notebook).source += "\n\0"


def error__parentheses_too_deep(notebook):
    solution(notebook).source += "\nx = " + "(" * 50_000


def error__minus_signs_without_end(notebook):
    solution(notebook).source += "\nx = " + "-" * 50_000 + "1"


def error__half_a_character(notebook):
    solution(notebook).source += "\nx = '@'"
    return_text = as_saved(notebook).decode()
    notebook["metadata"]["half"] = "\ud800"
    solution(notebook).source = "x = '\ud800'"
    assert return_text


def unreadable__json_nested_too_deep(notebook):
    return b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def unreadable__a_number_of_a_million_digits(notebook):
    return as_saved(notebook).replace(b'"nbformat": 4', b'"nbformat": ' + b"4" * 1_000_000)


def unreadable__more_cells_than_can_be_read(notebook):
    notebook.cells += [nbformat.v4.new_code_cell("", id=f"empty_{n}") for n in range(2_000)]
    return as_saved(notebook)


def unreadable__more_code_than_can_be_read(notebook):
    notebook.cells.append(nbformat.v4.new_code_cell("# nothing\n" * 200_000))
    return as_saved(notebook)


MUTATIONS = [
    function for name, function in list(globals().items()) if name.partition("__")[0] in {*Verdict}
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_right_notebook_broken_in_one_place(mutation, right, look, exam):
    notebook = deepcopy(right)
    data = mutation(notebook)
    verdict = Verdict(mutation.__name__.partition("__")[0])
    every = {item.id for item in exam.assignment.items}
    fails = set() if verdict is Verdict.PASSED else every if data else CAUSAL
    result = look(data or json.dumps(notebook).encode(), verdict, fails)
    assert result.seconds < 30


# Files that cannot be committed


def test_a_link_is_not_followed(tmp_path, exam, server):
    (tmp_path / "elsewhere.ipynb").write_text("{}")
    (tmp_path / f"{NAME}.ipynb").symlink_to("elsewhere.ipynb")
    for path in (tmp_path, tmp_path / f"{NAME}.ipynb"):
        result = grade("somebody", path, exam, server)
        assert {item.verdict for item in result.items} == {Verdict.UNREADABLE}
        assert "is a link" in result.items[0].message


def test_two_hundred_gibibytes_are_not_read(tmp_path, exam, server):
    path = tmp_path / f"{NAME}.ipynb"
    with path.open("wb") as file:
        file.truncate(200 << 30)  # which take no space
    result = grade("somebody", path, exam, server)
    assert {item.verdict for item in result.items} == {Verdict.UNREADABLE}
    assert "has 204800 MiB; at most 8 MiB can be read" in result.items[0].message


def test_a_folder_in_the_place_of_the_file(tmp_path, exam, server):
    (tmp_path / f"{NAME}.ipynb").mkdir()
    result = grade("somebody", tmp_path, exam, server)
    assert {item.verdict for item in result.items} == {Verdict.UNREADABLE}


def test_under_another_name_only_when_there_is_no_doubt(tmp_path, exam, server, right):
    (tmp_path / "a1 (final).ipynb").write_bytes(as_saved(right))
    assert grade("somebody", tmp_path, exam, server).score == exam.assignment.max_score
    (tmp_path / "a1 (really final).ipynb").write_bytes(as_saved(right))
    result = grade("somebody", tmp_path, exam, server)
    assert "(final).ipynb, a1 (really final).ipynb" in result.items[0].message


# The channel, where what comes depends on when it comes: never our fault, never right, never long

CHANNEL = ROOT / f"solutions/{NAME}/hostile/error__huge_length_in_the_channel.py"
PREAMBLE = CHANNEL.read_text().partition("# %%")[2].partition("# %%")[0]
SPEAKS = f"""# It speaks on the channel itself.
# %%
{PREAMBLE}
ANSWER = {{"value": {{"plain": True}}, "gradients": [], "changed": [], "banned": []}}
ANSWER |= {{"elsewhere": [], "read": [], "watched": [], "mode_changed": False}}
ANSWER |= {{"operations": 0, "failure": None}}
"""


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param("while True: send(ANSWER)", id="answers_without_reading"),
        pytest.param("send({'failure': 5})", id="a_failure_too_many"),
        pytest.param("send({'failure': 5}); os._exit(0)", id="a_failure_and_the_end"),
        pytest.param("for _ in range(50): send(ANSWER)", id="fifty_answers_too_many"),
        pytest.param(
            "ANSWER['tensors'] = {'0': ['bool', [0] * 64]}\n"
            "ANSWER['value'] = {'tensor': '0', 'order': [], 'grad': False}\n"
            "send(ANSWER)",
            id="a_tensor_of_all_axes_that_may_be",
        ),
    ],
)
def test_whoever_answers_what_was_not_asked_fails_in_time(attack, right, grade_bytes):
    result = grade_bytes(as_saved(overlaid(right, f"{SPEAKS}\n{attack}\n")))
    verdicts = {item.verdict for item in result.items}
    assert verdicts <= {Verdict.WRONG, Verdict.ERROR, Verdict.TIMEOUT, Verdict.FORBIDDEN}
    assert result.seconds < 30  # its wall_seconds, on a busy machine too
    check_that_it_can_be_shown(result)
    check_that_nothing_is_left(result, grade_bytes(as_saved(overlaid(right, HONEST))))


def test_there_are_walls_in_these_tests(server):
    assert server.wall in walls.STANDING
    assert not walls.why_not(server.wall)
