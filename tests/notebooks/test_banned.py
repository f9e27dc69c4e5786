"""Reading finds what leads to a banned call, and nothing that does not."""

import pytest

from autograder.asking.student import Cell
from autograder.notebooks.banned import banned_uses

SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"
BANNED = [SDPA, MHA]

IMPORTS = """
import math
import torch
import torch.nn.functional as F
from torch import nn
"""


def found(*sources):
    cells = [Cell(f"number {n}", source) for n, source in enumerate((IMPORTS, *sources))]
    return banned_uses(cells, BANNED)


@pytest.mark.parametrize(
    "body",
    [
        "F.scaled_dot_product_attention(q, k, v)",
        "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        "nn.functional.scaled_dot_product_attention(q, k, v)",
        "getattr(F, 'scaled_dot_product_attention')(q, k, v)",
        "getattr(torch.nn.functional, 'scaled_dot_product_attention', None)(q, k, v)",
        "[F.scaled_dot_product_attention][0](q, k, v)",
        "(lambda f=F.scaled_dot_product_attention: f(q, k, v))()",
    ],
)
def test_a_banned_call_is_found_however_it_is_written(body):
    assert found(f"def mine(q, k, v):\n    return {body}") == {"mine": SDPA}


@pytest.mark.parametrize(
    "imported",
    [
        "import torch.nn.functional as other\nattend = other.scaled_dot_product_attention",
        "from torch.nn.functional import scaled_dot_product_attention as attend",
        "import torch.nn as n\nattend = n.functional.scaled_dot_product_attention",
        "from torch.nn import functional\nattend = functional.scaled_dot_product_attention",
        "attend: object = F.scaled_dot_product_attention",
        "attend, other = F.scaled_dot_product_attention, 1",
        "try:\n    from torch.nn.functional import scaled_dot_product_attention as attend\n"
        "except ImportError:\n    pass",
        "if True:\n    attend = F.scaled_dot_product_attention",
        "def attend(q, k, v):\n    from torch.nn.functional import scaled_dot_product_attention\n"
        "    return scaled_dot_product_attention(q, k, v)",
    ],
)
def test_a_banned_call_is_found_under_another_name(imported):
    uses = found(imported, "def mine(q, k, v):\n    return attend(q, k, v)")
    assert uses["mine"] == uses["attend"] == SDPA


def test_it_is_found_in_a_star_import():
    uses = found("from torch.nn.functional import *", "def mine(*a):\n    return softmax(*a)")
    assert "mine" not in uses
    mine = "def mine(*a):\n    return scaled_dot_product_attention(*a)"
    assert found("from torch.nn.functional import *", mine)["mine"] == SDPA


def test_it_is_found_through_functions_in_any_order_and_through_loops():
    uses = found(
        "def first(x):\n    return second(x)",
        "def second(x):\n    return third(x) if x else first(x)",
        "async def third(x):\n    return F.scaled_dot_product_attention(x, x, x)",
        "def apart(x):\n    return x",
        "def loop(x):\n    return loop(x)",
    )
    assert uses == {"first": SDPA, "second": SDPA, "third": SDPA}


def test_it_is_found_in_classes():
    uses = found(
        "class Base(nn.MultiheadAttention):\n    pass",
        "class Kept:\n    attend = staticmethod(F.scaled_dot_product_attention)",
        "class Made:\n    def __init__(self):\n        self.attn = nn.MultiheadAttention(4, 2)",
        "class Clean:\n    def __init__(self):\n        self.attn = nn.Linear(4, 2)",
        "def through_base(x):\n    return Base(4, 2)(x, x, x)",
        "def through_attribute(x):\n    return Kept.attend(x, x, x)",
        "model = Made()",
        "def through_instance(x):\n    return model.attn(x, x, x)",
    )
    kept = {"Kept": SDPA, "through_attribute": SDPA}
    others = ("Base", "Made", "through_base", "model", "through_instance")
    assert uses == kept | dict.fromkeys(others, MHA)


MINE = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(-1)
    output = weights @ v
    return output, weights
"""


def test_a_call_elsewhere_costs_nothing():
    compare = "def compare(q):\n    return F.scaled_dot_product_attention(q, q, q)"
    plain = "print(F.scaled_dot_product_attention(*3 * [torch.rand(2, 2)]))"
    assert found(MINE, compare, plain, "compare(torch.rand(2, 2))") == {"compare": SDPA}


@pytest.mark.parametrize("name", ["output", "weights", "scores", "q", "mask"])
def test_a_local_variable_is_not_the_value_of_the_same_name_elsewhere(name):
    compare = f"{name} = F.scaled_dot_product_attention(*3 * [torch.rand(2, 2)])"
    for cells in ((MINE, compare), (compare, MINE)):
        assert found(*cells) == {name: SDPA}


def test_a_global_variable_is():
    uses = found(
        "attend = F.scaled_dot_product_attention",
        "def mine(x):\n    global attend\n    attend = attend\n    return attend(x, x, x)",
    )
    assert uses["mine"] == SDPA


def test_an_own_function_of_the_same_name_is_ones_own():
    helper = "def attend_all(q):\n    return scaled_dot_product_attention(q, q, q)"
    assert found(MINE, helper) == {}
    local = "def compare(q):\n    from torch.nn.functional import scaled_dot_product_attention\n"
    local += "    return scaled_dot_product_attention(q, q, q)"
    assert found(MINE, helper, local) == {"compare": SDPA}
    imported = "from torch.nn.functional import scaled_dot_product_attention"
    assert found(imported, MINE, helper) == {}
    uses = found(MINE, helper, imported)  # now it is no longer one's own
    assert uses == {"scaled_dot_product_attention": SDPA, "attend_all": SDPA}


def test_of_two_definitions_the_last_counts():
    bad = "def mine(x):\n    return F.scaled_dot_product_attention(x, x, x)"
    good = "def mine(x):\n    return x"
    assert found(bad, good) == {}
    assert found(good, bad) == {"mine": SDPA}
    assert found(bad, "from math import sqrt as mine") == {}
    assert found(f"if True:\n    {bad.replace(chr(10), chr(10) + '    ')}") == {"mine": SDPA}


@pytest.mark.parametrize(
    "source",
    [
        "F.scaled_dot_product",
        "# F.scaled_dot_product_attention",
        '"F.scaled_dot_product_attention"',
        "nn.functional",
        "torch.nn.MultiheadAttentions",
        "other.scaled_dot_product_attention(x)",
        "getattr(F, name)",
        "x.nn.MultiheadAttention",
    ],
)
def test_what_only_looks_like_it_is_not_found(source):
    assert found(f"def mine(x):\n    return 1, {source}\n") == {}


@pytest.mark.parametrize(
    "broken", ["def f(:", "x = '\0'", "(" * 10_000, "x = 1" + "+1" * 20_000, "x = '\ud800'"]
)
def test_a_broken_cell_is_passed_over(broken):
    bad = "def mine(x):\n    return F.scaled_dot_product_attention(x, x, x)"
    assert found(broken, bad, broken) == {"mine": SDPA}


def test_nothing_is_banned_in_an_assignment_that_bans_nothing():
    assert banned_uses([Cell("a", IMPORTS + "f = F.scaled_dot_product_attention")], []) == {}
