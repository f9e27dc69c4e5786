"""The instructor's source: its cells and their roles, the reference, the names that it defines."""

import pytest
from first_notebook import GIVEN, NAME, SOLUTIONS, SOURCE

from autograder.notebooks.source import read_source


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
