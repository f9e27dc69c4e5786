"""Checks of assignment_name. A check's docstring is the sentence that a student reads.

How to go on. A check is a pytest function with the marker `item`: the id of its item in course.yml;
`public=True`, if its inputs and answers are recorded for the notebook's own check cell (all the
others are hidden); and a `hint`, the question to ask when it fails. When it costs the item, the
docstring is shown first, then what was called and what came, then the known mistake that gives just
this, or else the hint. The notebook's check cell lists the docstrings of the hidden ones, too.

It asks for what it needs by name: `agree` puts a question to the student and to the reference and
compares the answers, to the item's tolerance; `draw` gives inputs, others for each check, and the
hidden ones from the course's secret. `agree.module("Layer", 4, 3)` makes a module, with the same
weights on both sides, which is then asked as a function is: `agree(layer, x)`. What else it can do
(gradients, errors that must be raised, inputs left alone): CONTRIBUTING.md of the grader tells.
What several assignments draw lies in solutions/inputs.py: `from ..inputs import draw_table`.
"""

import pytest

from autograder.checking import Agree, Draw

N, M, D = 3, 5, 4  # all different, so that no two axes can be taken for each other

item = pytest.mark.item


@item("distances", public=True, hint="Which axis holds the coordinates of one point?")
def test_distances(agree: Agree, draw: Draw) -> None:
    """Each point of x has its distance from each point of y, at [i, j] that of x[i] and y[j]."""
    agree("distances", draw.normal(N, D), draw.normal(M, D))


@item("distances", hint="Do you subtract two large numbers that are nearly the same?")
def test_distances_far_from_the_origin(agree: Agree, draw: Draw) -> None:
    """Points close together and far from the origin have the right distances, equal ones 0."""
    y = 1e6 + draw.normal(M, D)
    agree("distances", y[:N].clone(), y)
