"""The edits of a cell: what each puts in the place of a piece of code, and where that stands."""

import pytest

from autograder.repair.edits import TIERS, edits
from autograder.repair.view import Kind, View


def texts(cell):
    view = View(cell)
    return {each.text for tier in TIERS for each in edits(view, tier)}


IN_A_FUNCTION = [
    ("return q @ k", "return q + k"),
    ("return q / k", "return (q * k)"),
    ("return q < k", "return q <= k"),
    ("return f(k, m, q)", "return f(q, m, k)"),
    ("return q.sum(0)", "return q.sum(-1)"),
    ("return q.masked_fill_(m, 0.0)", "return q.masked_fill(m, 0.0)"),
    ("return q.masked_fill(m, 0.0)", "return q.masked_fill(~m, 0.0)"),
    ("return q.view(2)", "return q.reshape(2)"),
    ("return q.masked_fill(m, 0.0)", "return q.masked_fill(m, float('-inf'))"),
    ("return q.sqrt() + k", "return (q + k).sqrt()"),
    ("if m is not None:\n        q = k\n    return q", "if True:\n        q = k\n    return q"),
    ("q += k\n    return q", "q = q + k\n    return q"),
    ("q = k\n    m = q\n    return m", "m = q\n    q = k\n    return m"),
    ("return q.mean(-1)", "return q.mean(-1, keepdim=True)"),
    ("return q.var(-1)", "return q.var(-1, unbiased=False)"),
    ("return torch.zeros(3)", "return torch.zeros(3, dtype=q.dtype)"),
    ("return f(q)", "return f(q, m)"),
    ("return f(q)", "return f(k, q)"),
    ("q.masked_fill(m, 0.0)\n    return q", "q = q.masked_fill(m, 0.0)\n    return q"),
    ("return k", "return k.transpose(-2, -1)"),
    ("return k", "return k.contiguous()"),
    ("return k", "return k.detach()"),
    ("return m", "return (~m)"),
    ("q.relu_()\n    return q", "q = q.clone()\n    q.relu_()\n    return q"),
    ("w = q", "w = q\n    return w"),
    ("return [f(q)] * 3", "return [f(q) for _ in range(3)]"),
]


def plain(cell):
    """A text without spaces and parentheses, of which an edit may have more than one would."""
    return "".join(cell.split()).replace("(", "").replace(")", "")


@pytest.mark.parametrize(("wrong", "right"), IN_A_FUNCTION)
def test_a_small_edit_puts_it_right(wrong, right):
    cell = "def g(q, k, m=None):\n    {}\n"
    assert plain(cell.format(right)) in map(plain, texts(cell.format(wrong)))


def test_every_edit_differs_from_the_cell_and_from_the_others():
    cell = "def f(q, k):\n    return q @ k.transpose(1, 2) / k.shape[-1] ** 0.5\n"
    for tier in TIERS:
        found = [each.text for each in edits(View(cell), tier)]
        assert found
        assert len(found) == len({*found} - {cell})


def test_an_edit_knows_its_line_and_the_code_around_it():
    cell = "def f(q, k):\n    s = q @ k\n\n    return s / 8.0\n"
    found = next(each for each in edits(View(cell), 0) if each.text.endswith("s * 8.0)\n"))
    assert (found.line, found.source, found.what) == (4, "return s / 8.0", "s / 8.0")
    assert not found.missing


def test_words_and_annotations_are_left_alone():
    cell = 'def f(q: int = 1) -> int:\n    """Adds 1."""\n    return g(f"{q + 1} is right")\n'
    for each in texts(cell):
        assert '"""Adds 1."""' in each
        assert "q: int" in each
        assert "{q + 1} is right" in each or "is right" not in each


@pytest.mark.parametrize(
    "cell",
    ["def f(:\n", "x = " + "-" * 500 + "1\n", "x = " + "+".join("1" * 400) + "\n", "#" * 40000],
)
def test_a_cell_that_has_no_tree_or_one_too_deep_has_no_edits(cell):
    with pytest.raises(ValueError, match="the cell is"):
        View(cell)


def test_what_was_not_reached_is_left_alone_and_kinds_spare_edits():
    cell = "def f(q, m):\n    if m:\n        return q - 1\n    return q + 1\n"
    view = View(cell)
    function = view.module.body[0]
    test, last = function.body.body[0].test, function.body.body[1].body[0].value
    kinds = dict.fromkeys(
        (function.params.params[0].name, last.left, last, test), Kind("int", None)
    )
    view.learn(kinds, None)
    found = [each for tier in TIERS for each in edits(view, tier)]
    assert {each.line for each in found} == {1, 2, 4}
    assert not [each for each in found if "transpose" in each.text]
