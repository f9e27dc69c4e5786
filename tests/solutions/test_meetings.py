"""The tables of meetings: every two of what their columns hold stand in one row."""

import ast
from itertools import combinations

import pytest
from reference import ROOT

# Columns that hang together, by table: no mask blocks nothing, some lengths belong together, and
# of large numbers float32 leaves too little.
TOGETHER = {
    "a1_attention MEETINGS": {(1, 2), (3, 4)},
    "a2_multi_head MEETINGS": {(1, 2), (4, 5)},
    "a3_positional_encoding IN_EMBEDDINGS": {(0, 4), (1, 4)},
    "a3_positional_encoding IN_POSITIONS": {(4, 7)},
    "a4_layers IN_NORMS": {(0, 5)},
    "a4_layers IN_NETWORKS": {(0, 5), (2, 3)},
    "a4_layers IN_ENCODERS": {(1, 3), (2, 3)},
    "a4_layers IN_DECODERS": {(3, 5), (4, 5)},
    "a5_transformer MEETINGS": set(),
    "a6_translation MEETINGS": {(0, 2), (1, 2)},
    "a7_faster_decoding IN_ATTENTION": {(1, 2), (4, 5)},
    "a7_faster_decoding IN_STEPS": {(1, 4)},
    "a8_modern_parts IN_NORMS": {(0, 5)},
    "a8_modern_parts IN_TURNING": set(),
    "a8_modern_parts IN_NETWORKS": {(0, 5), (1, 4), (2, 3)},
    "a8_modern_parts IN_ATTENTION": {(1, 4), (3, 4)},
}


def tables():
    """The rows of each, as they are written."""
    for path in sorted((ROOT / "solutions").glob("*/checks.py")):
        for each in ast.parse(path.read_text()).body:
            match each:
                case ast.Assign([ast.Name(name)], ast.List(rows)):
                    written = [[ast.unparse(value) for value in row.elts] for row in rows]
                    yield f"{path.parent.name} {name}", written


TABLES = dict(tables())


def test_no_table_is_overlooked():
    assert TABLES.keys() == TOGETHER.keys()


@pytest.mark.parametrize("name", TABLES)
def test_every_two_meet(name):
    rows = TABLES[name]
    columns = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    for one, other in combinations(range(len(columns)), 2):
        met = {(row[one], row[other]) for row in rows}
        if (one, other) not in TOGETHER[name]:
            assert len(met) == len(columns[one]) * len(columns[other]), (one, other)
        assert len(met) > max(len(columns[one]), len(columns[other])) - 1
