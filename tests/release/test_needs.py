"""What lies beside a notebook says what it is for, and what was tried."""

from students_notebook import ROOT

from autograder.course.manifest import read_course
from autograder.release.needs import for_people

COURSE = read_course(ROOT)


def beside(name, files):
    found = for_people(COURSE, COURSE.assignment(name), files)
    return {each: data.decode() for each, data in found.items()}


def test_a_module_is_told_with_its_own_first_line():
    source = b'"""Counts the work of a call.\n\nAnd more.\n"""\n'
    said = beside("a7_faster_decoding", {"counted.py": source, "matplotlibrc": b""})["README.md"]
    assert "| `counted.py` | Counts the work of a call |" in said
    assert "| `matplotlibrc` | the look of the pictures |" in said
    empty = {"counted.py": b"", "matplotlibrc": b""}
    assert (
        "`counted.py` | the notebook reads it" in beside("a7_faster_decoding", empty)["README.md"]
    )


def test_one_release_that_was_tried_is_no_range():
    said = beside("a1_attention", {"matplotlibrc": b""})["requirements.txt"]
    assert "einops>=0.8  # tried: 0.8\n" in said
    assert "torch>=2.2  # tried: 2.2 to" in said
