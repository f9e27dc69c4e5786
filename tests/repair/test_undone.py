"""A line in which nothing is done: it is told where there is just one, and means nothing else."""

import time

import pytest

from autograder.repair.undone import undone

LOOP = """class Encoder(nn.Module):
    def forward(self, x):
        for layer in self.layers:
            {}
        return x
"""


@pytest.mark.parametrize("nothing", ["pass", "...", "pass  # to do"])
def test_the_line_that_does_nothing_is_found(nothing):
    found = undone("encoder", LOOP.format(nothing))
    assert (found.cell, found.line, found.source) == ("encoder", 4, nothing)
    assert undone("f", f"def f(x):\n    {nothing}\n").line == 2


@pytest.mark.parametrize(
    "text",
    [
        LOOP.format("x = layer(x)"),
        LOOP.format("if x is None: pass\n            else: x = layer(x)"),
        LOOP.format("try: x = layer(x)\n            except ValueError: pass"),
        LOOP.format("class Mine(Exception): pass"),
        "class Mine(Exception):\n    pass\n",
        "pass\n",
        "def f(x):\n    return x[..., 0]\n",
        "def f(x):\n    pass\ndef g(x):\n    pass\n",  # which of the two is it?
        "def f(x:\n",
    ],
)
def test_where_nothing_may_be_meant_nothing_is_told(text):
    assert undone("encoder", text) is None


def test_functions_in_functions_are_looked_through_once():
    depth = 90
    heads = "\n".join(f"{' ' * at}def f{at}():" for at in range(depth))
    text = f"{heads}\n{' ' * depth}" + "x = 1; " * 8_000 + "pass\n"
    started = time.process_time()
    assert undone("f", text).line == depth + 1
    assert time.process_time() - started < 3
