"""What sort of thing is wrong is told as the repair shows it, and never what would be right."""

import pytest

from autograder.repair.differing import LESS, SOMETHING, WITHOUT, beginning

NUMBER, NAME, ORDER, OPERATOR = (
    f"With another {each} in" for each in ("number", "name", "order", "operator")
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("-2", "-1", NUMBER),
        ("f(x, dim=-2)", "f(x, dim=-1)", NUMBER),
        ("k", "q", NAME),
        ("x.mean(0)", "x.sum(0)", NAME),
        ("self.a(x)", "self.b(x)", NAME),
        ("a / b", "(a * b)", OPERATOR),
        ("a < b", "a <= b", OPERATOR),
        ("a - b", "(b - a)", ORDER),
        ("f(a, b)", "f(b, a)", ORDER),
        ("x.view(a, b)", "x.view(b, a)", ORDER),
        ("a, b", "b, a", ORDER),
        ("f(x) + x", "x", LESS),
        ("f(x)", "x", LESS),
        ("f(x, 1)", "f(x)", LESS),
        ("x.detach().mean()", "x.mean()", LESS),
        ("x = x.detach()", "pass", WITHOUT),
        ("a / b", "a / b ** 0.5", SOMETHING),
        ("True", "False", SOMETHING),
        ("f(a, b)", "g(b, a)", SOMETHING),
        ("if (", "pass", SOMETHING),
        ("(" * 300 + ")" * 300, "1", SOMETHING),
    ],
)
def test_what_differs_is_told_by_its_kind(old, new, said):
    assert beginning(old, new) == said
