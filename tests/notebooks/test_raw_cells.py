"""The instructor's source: what of it there is for others."""

from autograder.notebooks.source import read_source

TEXT = """\
# %% [raw]
# A note of the instructor's.

# %% [markdown]
# # A story

# %% solution="area"
### BEGIN SOLUTION
side = 3
### END SOLUTION
"""


def test_a_raw_cell_is_a_note_and_stays_in_the_file(tmp_path):
    path = tmp_path / "squares" / "squares.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    assert [(cell.kind, cell.source) for cell in read_source(path).cells] == [
        ("markdown", "# A story"),
        ("code", "### BEGIN SOLUTION\nside = 3\n### END SOLUTION"),
    ]
