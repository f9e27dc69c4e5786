"""What people look at is the release with a student's answers in it, each text once."""

from copy import deepcopy
from pathlib import Path

import nbformat

from autograder.export import read_cells, rebuild

NAME = "a1_attention"
PATH = Path(__file__).resolve().parents[2] / "assignments" / NAME / f"{NAME}.ipynb"


def rebuilt(tmp_path, change):
    release = nbformat.read(PATH, 4)
    theirs = deepcopy(release)
    change(theirs.cells)
    nbformat.write(theirs, tmp_path / PATH.name)
    return release, rebuild(release, read_cells(tmp_path / PATH.name))


def test_a_notebook_of_older_dates_and_points_shows_its_texts_once(tmp_path):
    def older(cells):
        words = "\n".join(each.source for each in cells)
        assert "2027, 23:59" in words
        assert "· 2 points" in words
        for each in cells:
            if each.cell_type == "markdown":
                each.source = each.source.replace("2027, 23:59", "2026, 22:00")
                each.source = each.source.replace("· 2 points", "· 2.5 points")

    release, found = rebuilt(tmp_path, older)
    assert [each.source for each in found.cells] == [each.source for each in release.cells]


def test_a_text_that_its_student_wrote_into_is_shown_beside_ours(tmp_path):
    def written(cells):
        cells[0].source += "\n\nMy own words."

    release, found = rebuilt(tmp_path, written)
    assert len(found.cells) == len(release.cells) + 1
    assert found.cells[0].source.endswith("My own words.")
