"""The edits of a cell: what each puts in the place of a piece of code, and where that stands."""

import time

import pytest

from autograder.repair.edits import AS_MUTANTS, TIERS, Edit, TooManyEdits, edits
from autograder.repair.sisters import in_sisters
from autograder.repair.spot import spots
from autograder.repair.view import Kind, View


def texts(cell):
    view = View(cell)
    return {each.text for tier in TIERS for each in edits(view, tier)}


IN_A_FUNCTION = [
    ("return q @ k", "return q + k"),
    (
        "q = m\n    k = k.sum(dim=m)\n    return q",
        "q = q.sum(dim=m)\n    k = k.sum(dim=m)\n    return q",
    ),
    ("return [q[0]], f([k[1]], m)", "return f([q[0]], m), f([k[1]], m)"),
    ("return q / k", "return (q * k)"),
    ("return q < k", "return q <= k"),
    ("return f(k, m, q)", "return f(q, m, k)"),
    ("return q.sum(0)", "return q.sum(-1)"),
    ("return q.masked_fill_(m, 0.0)", "return q.masked_fill(m, 0.0)"),
    ("return q.masked_fill(m, 0.0)", "return q.masked_fill(~m, 0.0)"),
    ("return q.view(2)", "return q.reshape(2)"),
    ("return q.masked_fill(m, 0.0)", "return q.masked_fill(m, float('-inf'))"),
    ("return nn.Hardtanh(0, 20)(q)", "return nn.Hardtanh(0, float('inf'))(q)"),
    ("return q.sqrt() + k", "return (q + k).sqrt()"),
    (
        "n = q.shape\n    t = 1\n    q = k\n    return n",
        "t = 1\n    q = k\n    n = q.shape\n    return n",
    ),
    (
        "q = k\n    t = 1\n    n = q.shape\n    return n",
        "n = q.shape\n    q = k\n    t = 1\n    return n",
    ),
    ("return q * k ** 1 / 2", "return q * (k ** (1 / 2))"),
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
    ("return m or 0.1", "return 0.1 if m is None else m"),
    ("return q / math.isqrt(4)", "return q / math.sqrt(4)"),
    ("return q[None]", "return q[:, None]"),
    ("return q[:, None, :]", "return q[None]"),
    ("return SIZES['m'] * q", "return m * q"),
    ("return settings.m * q", "return m * q"),
    ("return q.norm2(k.norm2)", "return q.norm3(k.norm2)"),
    ("return q.norm2(k.norm2)", "return q.norm2(k.norm1)"),
    ("n, t = m, q.shape\n    return t", "n, t = m, q.shape[1]\n    return t"),
]


def plain(cell):
    """A text without spaces and parentheses, of which an edit may have more than one would."""
    return "".join(cell.split()).replace("(", "").replace(")", "")


@pytest.mark.parametrize(("wrong", "right"), IN_A_FUNCTION)
def test_a_small_edit_puts_it_right(wrong, right):
    cell = "def g(q, k, m=None):\n    {}\n"
    assert plain(cell.format(right)) in map(plain, texts(cell.format(wrong)))


OTHER = "def f(q, k):\n    k = k.transpose(-2, -1)\n    return q @ k / 8.0\n"


def test_every_edit_differs_from_the_cell_and_from_the_others():
    cell = "def f(q, k, m):\n    return q @ k.transpose(1, 2) / k.shape[-1] ** 0.5\n"
    for tier in TIERS:
        found = [each.text for each in edits(View(cell, [View(OTHER)]), tier)]
        assert found, tier
        assert len(found) == len({*found} - {cell})


def test_another_bound_is_another_operator():
    view = View("def f(n):\n    while n <= 3:\n        n += 1\n    return n\n")
    (found,) = (x for x in edits(view, AS_MUTANTS) if x.text == view.text.replace(" <= 3", "< 3"))
    assert found.compares
    assert (found.beginning, found.what) == ("With another operator in", "n <= 3")


def test_an_edit_knows_its_line_and_the_code_around_it():
    cell = "def f(q, k):\n    s = q @ k\n\n    return s / 8.0\n"
    found = next(each for each in edits(View(cell), AS_MUTANTS) if each.text.endswith("s * 8.0)\n"))
    assert (found.line, found.source, found.what) == (4, "return s / 8.0", "s / 8.0")
    assert not found.missing


def test_lines_that_change_places_are_told_by_the_first_of_them():
    cell = "def f(q, k):\n    k = k.T\n    s = q @ k\n    k = k + q * 2\n    return s\n"
    new = cell.replace("    s = q @ k\n    k = k + q * 2\n", "    k = k + q * 2\n    s = q @ k\n")
    (found,) = (each for tier in TIERS for each in edits(View(cell), tier) if each.text == new)
    assert (found.line, found.what) == (3, "s = q @ k")
    assert found.beginning == "With another order of the lines at"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "    m = f(x)\n    with torch.no_grad():\n        y = g(m)\n",
            "    with torch.no_grad():\n        m = f(x)\n        y = g(m)\n",
        ),
        ("    while x:\n        return y\n", "    while x:\n        break\n"),
    ],
)
def test_what_belongs_into_a_block_and_what_leaves_more_than_the_loop(old, new):
    cell = f"def f(x):\n{old}    return y\n"
    assert cell.replace(old, new) in texts(cell)
    assert "def f(x):\n    y = x\n    break\n" not in texts("def f(x):\n    y = x\n    return y\n")


@pytest.mark.parametrize(
    ("line", "round_it"), [("q.nothing()", True), ("assert q.dim() == 3", False)]
)
def test_who_goes_round_may_only_go_round_it(line, round_it):
    view = View(f"def f(q):\n    {line}\n    return q\n")
    view.learn({}, raised={2})
    found = {x.line: x.goes_round for x in edits(view, AS_MUTANTS) if x.new.strip() == "pass"}
    assert found == {2: round_it, 3: False}


def test_what_is_cut_of_a_piece_of_code_shows_that_it_is():
    cell = f"def f(q):\n    return {' + '.join(['q'] * 40)}\n"
    told = {
        each.what for each in edits(View(cell), AS_MUTANTS) if each.spot.source.count("q") == 40
    }
    assert all(each.endswith("\u2026") for each in told)
    assert told


def test_parameters_change_places_with_their_like_alone():
    found = texts("def f(q, k, m=None, n=4):\n    return q\n")
    assert "def f(k, q, m=None, n=4):\n    return q\n" in found
    assert "def f(q, k, n=None, m=4):\n    return q\n" in found
    assert "def f(q, m, k=None, n=4):\n    return q\n" not in found


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
    view.learn(kinds, ())
    found = [each for tier in TIERS for each in edits(view, tier)]
    assert {each.line for each in found} == {1, 2, 4}
    assert not [each for each in found if "transpose" in each.text]


IN_A_CLASS = [  # what stands in the place of {}, before and after
    ("pass", "raise ValueError(f'{n} {d}')"),
    ("raise f'{n}'", "raise ValueError(f'{n}')"),
]


@pytest.mark.parametrize(("wrong", "right"), IN_A_CLASS)
def test_what_must_be_raised_is_made(wrong, right):
    cell = "def g(n, d):\n    if n > d:\n        {}\n    return n\n"
    found = {each.replace('"', "'") for each in texts(cell.format(wrong))}
    assert cell.format(right) in found


def test_what_another_cell_has_in_the_same_role_is_tried():
    other = View("def h(n, size=512):\n    if n is not None:\n        return n\n")
    view = View("def g(n, size=513):\n    if n:\n        return n\n", [other])
    found = {each.text for tier in TIERS for each in edits(view, tier)}
    assert "def g(n, size=512):\n    if n:\n        return n\n" in found
    assert "def g(n, size=513):\n    if n is not None:\n        return n\n" in found


def test_what_another_cell_has_is_not_tried_where_a_line_would_be_without_a_use():
    other = View("def h(q):\n    w = q.log()\n    s = q\n    w = s.cosh()\n    return w\n")
    view = View("def g(q):\n    s = q * 2\n    w = s.exp()\n    return w\n", [other])
    found = {each.text for tier in TIERS for each in edits(view, tier)}
    assert [each for each in found if "w = s.cosh()" in each]
    assert not [each for each in found if "w = q.log()" in each]


def test_a_missing_line_is_taken_from_another_cell():
    other = View("class A:\n    def __init__(self, p):\n        self.drop = nn.Dropout(p)\n")
    cell = (
        "class B:\n    def __init__(self, p):\n        {}\n    def f(self, x):\n        return x\n"
    )
    view = View(cell.format("pass"), [other])
    found = {each.text for tier in TIERS for each in edits(view, tier)}
    assert cell.format("self.drop = nn.Dropout(p)") in found


def test_lines_that_read_alike_are_edited_alike():
    cell = "def f(q, k):\n    a = torch.tensor(q)\n    b = torch.tensor(k)\n    return a @ b\n"
    right = "def f(q, k):\n    a = q\n    b = k\n    return a @ b\n"
    view = View(cell)
    (found,) = (each for tier in TIERS for each in edits(view, tier) if each.text == right)
    assert (found.line, found.others) == (2, (3,))


def test_the_name_of_what_is_kept_is_found_where_it_is_used():
    cell = "class A:\n    def __init__(s, x):\n        {}\n    def f(s):\n        return s.x\n"
    cell = cell.replace("(s", "(self").replace("s.x", "self.x")
    found = texts(cell.format("self.register_buffer(x)"))
    assert cell.format('self.register_buffer("x", x)') in found


def test_a_mask_that_may_be_none_blocks_only_where_there_is_one():
    view = View("def f(x, m=None):\n    return x\n")
    function = view.module.body[0]
    x, m = (each.name for each in function.params.params)
    value = function.body.body[0].body[0].value
    floats, bools = Kind("torch.float64", (2, 3)), Kind("torch.bool", (2, 3))
    view.learn({x: floats, m: bools, value: floats}, ())
    found = {each.text for tier in TIERS for each in edits(view, tier)}
    assert "def f(x, m=None):\n    return (x if m is None else x.masked_fill(~m, 0.0))\n" in found


def test_lines_are_alike_name_by_name():
    old = "q = f(k, 1)\nm = f(q, 1)\nreturn q\n yield\n"
    assert in_sisters(old, old.replace("k, 1", "k, 2"), 1) == (old.replace("1)", "2)"), (2,))
    assert in_sisters(old, old.replace("return q", "return m"), 3) is None


def test_no_edit_has_a_method_call_itself():
    """Two that do not end, and nothing more of their line would be tried."""
    cell = "class A:\n    def forward(self, x):\n        return self.f(x)\n"
    cell += "    def f(self, x):\n        return self.g(x)\n    def g(self, x):\n        return x\n"
    lines = [text.splitlines() for text in texts(cell)]
    assert not any("self.forward" in line for each in lines for line in each)
    assert not any("self.f(" in each[4] or "self.g(" in each[6] for each in lines)
    assert any("self.g(" in each[2] for each in lines)


def test_a_value_that_is_asked_for_a_method_may_have_been_passed_through_a_field_first():
    cell = "class A:\n    def __init__(self):\n        self.f = g()\n"
    cell += "    def forward(self, x):\n        return {}\n"
    assert cell.format("self.f(x).relu()") in texts(cell.format("x.relu()"))


def test_an_argument_that_is_left_out_goes_round_what_is_wrong_with_it():
    view = View("def f(q):\n    return g(q, k)\n")
    found = {each.new: each.goes_round for each in edits(view, AS_MUTANTS)}
    assert found["g(q)"]
    assert not found["g(k, q)"]


IDLE = [
    ("class A:\n\tdef f(self, q, k):\n\t\treturn {}", "g(q)", "g(q, k)"),
    ("def f(q, k):\n    return {}", "q.sqrt()", "(q + k).sqrt()"),
    ("def f(q, k):\n    return {}", "g(q)", "g(q, k)"),
    ("def f(q, k):\n    for g in k:\n        q = {}\n    return q", "q", "g(q)"),
    (
        "class A:\n    @torch.no_grad()\n    def f(self, q, k):\n        '''\nAll of it.'''\n"
        "        return {}",
        "g(q)",
        "g(q, k)",
    ),
    (
        "class A:\n    def __init__(self):\n        self.eps = 1\n"
        "    def forward(self, x):\n        return {}",
        "x.sqrt()",
        "(x + self.eps).sqrt()",
    ),
]


@pytest.mark.parametrize(("around", "wrong", "right"), IDLE)
def test_what_is_idle_is_tried_first(around, wrong, right):
    found = {each.text for each in edits(View(around.format(wrong)), TIERS[0])}
    assert around.format(right) in found
    assert not edits(View(around.format(right)), TIERS[0])


def test_whatever_number_a_function_holds_what_it_reads_is_known():
    cell = f"def f(q, k):\n    return g(q) + (0x{'f' * 5000}).real\n"  # which Python does not print
    assert any("g(q, k)" in each.text for each in edits(View(cell), TIERS[0]))


def test_what_is_read_anywhere_in_a_class_is_not_idle():
    cell = "class A:\n    def __init__(self):\n        self.eps = 1\n"
    cell += (
        "    def g(self):\n        return self.eps\n    def forward(self, x):\n        return x\n"
    )
    assert not any("+ self.eps" in each.text for each in edits(View(cell), TIERS[0]))


def test_a_cell_of_many_names_is_given_up_before_its_edits_fill_the_memory():
    names = [f"a{each}" for each in range(400)]
    text = f"def g(f):\n    {' = '.join(names)} = 0\n    return f({', '.join(names)})\n"
    with pytest.raises(TooManyEdits):
        texts(text)


def test_a_cell_of_many_pairs_that_are_alike_is_given_up_before_they_take_minutes():
    text = f"def g(f):\n    return f({', '.join('0' * 2400)})\n"
    begun = time.process_time()
    with pytest.raises(TooManyEdits):
        texts(text)
    assert time.process_time() - begun < 20


def test_an_empty_cell_has_no_edits():
    assert texts("") == set()


def test_a_cell_of_which_the_places_are_told_wrong_is_not_looked_at():
    with pytest.raises(ValueError, match="libcst"):
        View("\fdef f(x):\n    return x\n")


def test_an_edit_that_is_no_python_goes_round_nothing():
    view = View("def f(y, b):\n    return y.mean(-1, keepdim=True)\n")
    spot = next(each for each in spots(view) if each.source.startswith("y.mean("))
    edit = Edit(view.text, 2, 0, False, "y.mean(-1, keepdim=True, self.b)", spot)
    assert not edit.goes_round


def test_a_cell_that_nobody_writes_by_hand_is_not_read():
    with pytest.raises(ValueError, match="too long"):
        View("def f(c):\n" + "    g(c)\n" * 900)
