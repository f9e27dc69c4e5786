"""checks.py as the student has it: what it needs, and what it says of right and of wrong code."""

import ast
import json
import linecache
import math
import sys
import time
from pathlib import Path

import pytest
import torch
from students_notebook import ROOT, checks_in, notebook_of

from autograder.course.manifest import read_course
from autograder.release.builder import build

NAME = "a1_attention"
COURSE = read_course(ROOT)
ITEMS = [item.id for item in COURSE.assignment(NAME).items]
ATTENTION = "scaled_dot_product_attention"
NOT_YET_THERE = "not written yet"


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """The student's checks.py, beside its cases, imported as a student imports it."""
    folder = tmp_path_factory.mktemp("release") / NAME
    build(COURSE, NAME).write(folder)
    with checks_in(folder) as found:
        yield found


@pytest.fixture
def notebook(monkeypatch, checks):
    """The names of a notebook that answers as the reference does; nothing was told before."""
    for item in ITEMS:
        checks.forget(item)
    return notebook_of(NAME, monkeypatch)


@pytest.fixture
def said(checks):
    def said(item):
        with pytest.raises(checks.CheckFailed) as caught:
            checks.check(item)
        assert caught.value._render_traceback_() == [str(caught.value)]
        return str(caught.value)

    return said


def test_it_needs_torch_and_nothing_else_that_is_not_pythons():
    names = set()
    for path in (ROOT / "autograder" / "handout" / "checks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {each.name.split(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    assert names - sys.stdlib_module_names <= {"torch", "numpy"}


# Right answers


def test_the_reference_passes_every_item_in_under_a_second(checks, notebook, capsys):
    started = time.perf_counter()
    for item in ITEMS:
        checks.check(item)
    assert time.perf_counter() - started < 1.0
    cases = json.loads(Path(checks.__file__).with_name("cases.json").read_text())["items"]
    lines = capsys.readouterr().out.splitlines()
    for item in ITEMS:
        assert sum(line.startswith(f"{item}: ") for line in lines) == 1
        for sentence in cases[item]["sentences"]:
            assert f"  - {sentence}" in lines
    assert "hand_example: the shapes are right." in lines[0]


def test_what_is_returned_may_be_a_subclass_of_tuple_or_need_a_gradient(checks, notebook):
    right = vars(notebook)[ATTENTION]
    pair = type("Pair", (tuple,), {})
    notebook.scaled_dot_product_attention = lambda *a, **k: pair(right(*a, **k))
    notebook.hand_weights = torch.nn.Parameter(torch.zeros(2, 3))
    checks.check("attention_output")
    checks.check("hand_example")


# Wrong answers


def wrapped(change):
    """The reference with something else done to its output and weights."""

    def answer(right):
        def scaled_dot_product_attention(q, k, v, mask=None):
            return change(*right(q, k, v, mask), q)

        return scaled_dot_product_attention

    return answer


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda o, w, q: (o + 0.1, w),
            "180 of the values differ, the first at [0, 0, 0, 0]: expected",
        ),
        (
            lambda o, w, q: (o * math.nan, w),
            "180 of 180 of the values are NaN or infinite, the first at",
        ),
        (lambda o, w, q: (o / 0, w), "of the values are NaN or infinite"),
        (lambda o, w, q: (o.mT, w), "expected shape (2, 3, 5, 6), got shape (2, 3, 6, 5)"),
        (lambda o, w, q: (o.half(), w), "expected dtype float64, got dtype float16"),
        (lambda o, w, q: (o.long(), w), "expected dtype float64, got dtype int64"),
        (lambda o, w, q: (o + 0j, w), "expected dtype float64, got dtype complex128"),
        (lambda o, w, q: (o.bool(), w), "expected dtype float64, got dtype bool"),
        (lambda o, w, q: (o.to("meta"), w), "expected device cpu, got device meta"),
        (lambda o, w, q: (o.to_sparse(), w), "expected a dense tensor, got one that is sparse"),
        (lambda o, w, q: (o[:0], w), "expected shape (2, 3, 5, 6), got shape (0, 3, 5, 6)"),
        (lambda o, w, q: (o.numpy(), w), "expected a torch.Tensor, got a ndarray"),
        (lambda o, w, q: (o.tolist(), w), "expected a torch.Tensor, got a list"),
        (
            lambda o, w, q: o,
            "expected the 2 values (output, weights), got one tensor of shape (2, 3,",
        ),
        (lambda o, w, q: [o, w], "expected the 2 values (output, weights), got a list"),
        (lambda o, w, q: (o, w, q), "expected the 2 values (output, weights), got 3 values"),
        (lambda o, w, q: (o, w, q.add_(1))[:2], "changed its input q in place."),
        (lambda o, w, q: (o, w, q.unsqueeze_(0))[:2], "changed its input q in place."),
        (
            lambda o, w, q: (o, w, setattr(q, "data", q.float()))[:2],
            "changed its input q in place.",
        ),
        (lambda o, w, q: {}[1], "raised KeyError: 1"),
        (lambda o, w, q: o @ o, "raised RuntimeError: "),
    ],
)
def test_a_wrong_answer_is_told_with_the_call_what_was_expected_and_a_hint(
    notebook, said, change, problem
):
    notebook.scaled_dot_product_attention = wrapped(change)(vars(notebook)[ATTENTION])
    lines = said("attention_output").split("\n  ")
    assert lines[0] == "attention_output: not yet right"
    if named := lines[1].startswith("Your code does what this mistake does: "):
        del lines[1:3]  # the mistake, and what to think about
    assert lines[1].startswith("Asked: The output is the values mixed by the weights")
    assert f"{ATTENTION}(q (2, 3, 5, 4), k (2, 3, 7, 4), v (2, 3, 7, 6))" in lines[2]
    assert problem in " ".join(lines[2:])
    values = "values differ" in problem or "NaN" in problem
    hinted = lines[-1] == "Compare your steps with equation 1, one by one."
    assert hinted == (values and not named)


def test_a_hint_about_values_is_not_given_to_who_gives_none(notebook, said):
    notebook.scaled_dot_product_attention = lambda q, k, v, mask=None: None
    assert said("attention_output").endswith(
        "expected the 2 values (output, weights), got None: is there a return?"
    )


def test_expected_and_got_are_numbers_one_can_look_for(notebook, said):
    right = vars(notebook)["causal_mask"]
    notebook.causal_mask = lambda size, device=None: ~right(size)
    assert "25 of 25 of the values differ, the first at [0, 0]: expected True, got False" in said(
        "causal_mask"
    )


def test_a_missing_name_and_a_stub_are_told(notebook, said):
    def padding_mask(tokens, pad_id=0):
        raise NotImplementedError

    notebook.padding_mask = padding_mask
    told = said("padding_mask")
    assert told.startswith(f"padding_mask: {NOT_YET_THERE}\n")
    assert "padding_mask is still the stub: write your code in the place of its raise." in told
    del notebook.padding_mask
    assert "padding_mask is not defined: run the cell that defines it first." in said(
        "masks_together"
    )
    notebook.padding_mask = 3
    assert "raised TypeError: 'int' object is not callable" in said("padding_mask")


def test_a_stub_that_is_called_on_the_way_is_told_by_its_name(notebook, said):
    class Masks:
        def padding(self, tokens):
            raise NotImplementedError

    notebook.padding_mask = lambda tokens, pad_id=0: Masks().padding(tokens)
    assert "\n  Masks.padding is still the stub: " in said("padding_mask")


def test_an_unknown_item_is_told_with_those_there_are(said):
    assert said("atention") == f"there is no item 'atention'; the items are: {', '.join(ITEMS)}"


# One cause, told once


NO_VIEW = """def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q.transpose(-2, -1).view(q.shape) @ k.mT
    return scores @ v, scores
"""


def define(notebook, source):
    """As a cell does: its lines can be looked up."""
    name = f"<cell {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), vars(notebook))


def test_an_exception_names_the_students_own_line(notebook, said):
    define(notebook, NO_VIEW)
    assert (
        "    in your line 2, in scaled_dot_product_attention: "
        "scores = q.transpose(-2, -1).view(q.shape) @ k.mT" in said("attention_output")
    )
    notebook.scaled_dot_product_attention = lambda q, k: None
    assert "in your line" not in said("attention_output")  # no line of theirs was reached


def test_the_same_exception_is_told_once(notebook, said):
    define(notebook, NO_VIEW)
    told = said("attention_output")
    assert said("attention_scale") == (
        "attention_scale: not yet right, the same as in attention_output: "
        "RuntimeError in your line 2"
    )
    assert said("attention_output") == told  # where it was told, it is told again


def test_another_exception_in_that_line_or_the_same_in_another_is_told(notebook, said):
    define(notebook, NO_VIEW)
    said("attention_output")
    define(notebook, NO_VIEW.replace("q.trans", "query.trans"))
    assert "NameError: name 'query' is not defined" in said("attention_weights")
    define(notebook, NO_VIEW.replace("    scores", "\n    scores", 1))
    assert "in your line 3" in said("attention_scale")
    define(notebook, NO_VIEW.replace("k.mT", "k.mT * 2"))
    assert "in your line 2" in said("attention_mask")  # it was told of other code


def test_what_was_told_is_forgotten_when_its_item_passes_or_fails_through_something_else(
    checks, notebook, said
):
    right = notebook.scaled_dot_product_attention
    for meanwhile in (right, lambda q, k, v, mask=None: (q, q)):
        define(notebook, NO_VIEW)
        said("attention_output")
        notebook.scaled_dot_product_attention = meanwhile
        if meanwhile is right:
            checks.check("attention_output")
        else:
            said("attention_output")
        define(notebook, NO_VIEW)
        assert "raised RuntimeError" in said("attention_scale")


@pytest.mark.parametrize(
    ("source", "state", "cause"),
    [
        ("del scaled_dot_product_attention", NOT_YET_THERE, f"{ATTENTION} is not defined"),
        (
            NO_VIEW.replace("return scores @ v, scores", "raise NotImplementedError").replace(
                ".transpose(-2, -1).view(q.shape)", ""
            ),
            NOT_YET_THERE,
            f"{ATTENTION} is still the stub",
        ),
        (
            f"def {ATTENTION}(q, k, v, mask=None):\n    pass",
            "not yet right",
            f"{ATTENTION} returns None",
        ),
        (
            f"def {ATTENTION}(q):\n    pass",
            "not yet right",
            f"TypeError: {ATTENTION}() takes 1 positional argument but 3 were given",
        ),
    ],
)
def test_so_is_whatever_makes_items_fail_alike(notebook, said, source, state, cause):
    define(notebook, source)
    assert "the same as" not in said("attention_output")
    for item in ("attention_weights", "attention_scale"):
        assert said(item) == f"{item}: {state}, the same as in attention_output: {cause}"


def test_wrong_numbers_are_told_at_each_item(notebook, said):
    notebook.scaled_dot_product_attention = wrapped(lambda o, w, q: (o + 0.1, w + 0.1))(
        vars(notebook)[ATTENTION]
    )
    for item in ("attention_output", "attention_weights", "attention_scale"):
        assert "expected" in said(item)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (torch.zeros(3, 2), "expected shape (2, 3), got shape (3, 2)"),
        (torch.full((2, 3), math.nan), "has NaN or infinite values"),
        (torch.zeros(2, 3, device="meta"), "has NaN or infinite values, or none at all"),
        (torch.zeros(2, 3).to_sparse(), "expected a dense tensor"),
        ([[0.1] * 3] * 2, "expected a torch.Tensor, got a list"),
        (None, "expected a torch.Tensor, got None"),
        (..., "expected a torch.Tensor, got a ellipsis"),
    ],
)
def test_a_value_of_which_the_shape_alone_is_known_is_looked_at_too(notebook, said, value, problem):
    notebook.hand_weights = value
    assert f"hand_weights: {problem}" in said("hand_example")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda o, w, q: (o.detach(), w), "no gradient flows back to the inputs"),
        (lambda o, w, q: (o.detach() + 0 * q.sum(), w), "the gradient of q: "),
        (lambda o, w, q: (o, w.mul_(1)), "its gradients: torch raised RuntimeError: "),
        (lambda o, w, q: (w, o), "expected shape "),
    ],
)
def test_a_wrong_gradient_is_told(notebook, said, change, problem):
    notebook.scaled_dot_product_attention = wrapped(change)(vars(notebook)[ATTENTION])
    assert problem in said("attention_gradients")
