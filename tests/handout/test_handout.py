"""checks.py as the student has it: what it needs, what it says, and that it never stumbles."""

import ast
import importlib
import json
import math
import sys
import time
import types
import warnings
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course.manifest import read_course
from autograder.handout.checks.compare import compare, compare_outputs, describe_call
from autograder.handout.checks.recorded import from_json
from autograder.notebooks.source import read_source
from autograder.release.builder import build
from autograder.release.cases import _to_json

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
COURSE = read_course(ROOT)
ITEMS = [item.id for item in COURSE.assignment(NAME).items]
ATTENTION = "scaled_dot_product_attention"


def forget_checks():
    for name in [name for name in sys.modules if name.partition(".")[0] == "checks"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """The student's checks.py, beside its cases, imported as a student imports it."""
    folder = tmp_path_factory.mktemp("release") / NAME
    build(COURSE, NAME).write(folder)
    forget_checks()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("checks")
    forget_checks()


@pytest.fixture
def notebook(monkeypatch):
    """The names of a notebook that answers as the reference does."""
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    for cell in read_source(ROOT / "solutions" / NAME / f"{NAME}.py").reference:
        exec(cell.source, main.__dict__)
    return main


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
        (lambda o, w, q: (o.float(), w), "expected dtype float64, got dtype float32"),
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
    assert lines[1].startswith("The output is the values mixed by the weights")
    assert f"{ATTENTION}(q (2, 3, 5, 4), k (2, 3, 7, 4), v (2, 3, 7, 6))" in lines[2]
    assert problem in " ".join(lines[2:-1])
    assert lines[-1] == "Compare your steps with equation 1, one by one."


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
    assert "padding_mask is still the stub: write your code where it says so." in said(
        "padding_mask"
    )
    del notebook.padding_mask
    assert "padding_mask is not defined: run the cell that defines it first." in said(
        "masks_together"
    )
    notebook.padding_mask = 3
    assert "raised TypeError: 'int' object is not callable" in said("padding_mask")


def test_an_unknown_item_is_told_with_those_there_are(said):
    assert said("atention") == f"there is no item 'atention'; the items are: {', '.join(ITEMS)}"


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
    ],
)
def test_a_wrong_gradient_is_told(notebook, said, change, problem):
    notebook.scaled_dot_product_attention = wrapped(change)(vars(notebook)[ATTENTION])
    assert problem in said("attention_gradients")


# compare


def test_an_error_of_float32s_is_called_so_and_its_numbers_are_told_apart():
    right = torch.tensor([1.7, 2.0], dtype=torch.float64)
    problem = compare(right.float().double(), right, 1e-12, "a")
    assert "expected 1.7, got 1.70000004768; " in problem
    assert problem.endswith("float32 rounds: is a number, such as a root, made in float32?")
    assert "float32" not in compare(right + 1e-4, right, 1e-12, "a")


TINY = 1e-12
A = torch.tensor([[1.0, -2.0, 0.0], [1e6, 0.5, 0.0]], dtype=torch.float64)


def test_equal_values_agree_and_the_tolerance_is_relative_above_one():
    assert compare(A.clone(), A, TINY, "a") is None
    assert compare(A * (1 + 0.9 * TINY), A, TINY, "a") is None
    assert compare(A + 0.9 * TINY, A, TINY, "a") is None
    assert compare(A + 1.1 * TINY, A, TINY, "a") is not None
    problem = compare(A + torch.tensor([0, 0.5, 0]), A, TINY, "a")
    assert problem == (
        "a: 2 of 6 of the values differ, the first at [0, 1]: expected -2, got -1.5; "
        "the largest difference is 0.5"
    )


def test_float32_is_allowed_more_by_the_ratio_of_the_epsilons():
    ratio = torch.finfo(torch.float32).eps / torch.finfo(torch.float64).eps
    half = torch.full((3,), 0.5)
    assert compare(half + 0.9 * TINY * ratio, half, TINY, "a") is None
    assert compare(half + 1.1 * TINY * ratio, half, TINY, "a") is not None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_never_right(bad):
    got = A.clone()
    got[1, 2] = bad
    problem = compare(got, A, 0.5, "a")
    assert problem.startswith("a: 1 of 6 of the values are NaN or infinite, the first at [1, 2]: ")
    assert problem.endswith(f"expected 0, got {bad}")
    for expected in (got, torch.full_like(A, bad)):
        assert compare(got, expected, 0.5, "a") is not None


def test_where_zero_is_expected_nothing_else_will_do():
    got = A.clone()
    got[0, 2] = 1e-300
    assert compare(got, A, TINY, "a") is None
    assert compare(A, A, TINY, "a", exact_zeros=True) is None
    assert compare(-A, -A, TINY, "a", exact_zeros=True) is None
    problem = compare(got, A, TINY, "a", exact_zeros=True)
    assert problem == "a: expected exactly 0 at [0, 2], got 1e-300"
    got[0, 0] = 5
    problem = compare(got, A, TINY, "a", exact_zeros=True)
    assert problem.startswith("a: 2 of 6 of the values differ, the first at [0, 0]")


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_values_that_are_not_floating_must_be_equal(dtype):
    expected = torch.tensor([[0, 1], [1, 0]]).to(dtype)
    assert compare(expected.clone(), expected, 0.5, "a") is None
    got = expected.clone()
    got[1, 1] = 1
    assert "1 of 4 of the values differ, the first at [1, 1]: expected " in compare(
        got, expected, 0.5, "a"
    )
    assert "expected dtype" in compare(got.double(), expected, 0.5, "a")


def test_tensors_without_values_axes_or_elements():
    empty = torch.zeros(2, 0, 3)
    assert compare(empty.clone(), empty, TINY, "a", exact_zeros=True) is None
    assert compare(torch.zeros(0, 2, 3), empty, TINY, "a") is not None
    assert compare(empty.bool(), empty.bool(), TINY, "a") is None
    meta = torch.zeros(2, device="meta")
    assert compare(torch.ones(2, device="meta"), meta, TINY, "a") is None
    assert compare(torch.zeros(2), meta, TINY, "a") == "a: expected device meta, got device cpu"
    one, two = torch.tensor(1.0), torch.tensor(2.0)
    assert compare(one, one.clone(), TINY, "a") is None
    assert compare(two, one, TINY, "a") == ("a: expected 1, got 2; the largest difference is 1")
    assert "NaN" in compare(one * math.nan, one, TINY, "a")


def test_a_difference_that_overflows_is_a_difference():
    huge = torch.tensor([1.7e308], dtype=torch.float64)
    assert compare(-huge, huge, TINY, "a").endswith("the largest difference is inf")
    assert compare(huge.clone(), huge, TINY, "a") is None


def strange():
    """What a function may give instead of a tensor of six numbers, or as one."""
    six = torch.arange(6.0).reshape(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of these are prototypes, says torch
        yield from (six.to(d) for d in (torch.float16, torch.bfloat16, torch.float64))
        yield from (six.to(d) for d in (torch.complex64, torch.complex128, torch.uint8))
        yield from (six.to(d) for d in (torch.int8, torch.int64, torch.bool))
        yield from (six.to(d) for d in (torch.float8_e4m3fn, torch.float8_e5m2))
        yield torch.complex(six, six).conj()
        yield torch.complex(six, six).conj().imag
        yield six.to_sparse()
        yield six.to_sparse_csr()
        yield six.to_mkldnn()
        yield torch.quantize_per_tensor(six, 0.1, 0, torch.quint8)
        yield torch.nested.nested_tensor([six, six[:1]])
        yield torch.nested.nested_tensor([six, six[:1]], layout=torch.jagged)
        yield six.to("meta")
        yield torch.nn.Parameter(six)
        yield six.expand(4, 2, 3)
        yield six[:, :0]
        yield six.sum()
        with torch.inference_mode():
            yield six + 1
    yield from (None, 1, "text", [six], (six,), {}, six.numpy(), torch.float32, torch.Tensor, ...)


@pytest.mark.parametrize("shape", [(2, 3), (), (2, 0), (6,)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bool, torch.int64])
def test_nothing_that_is_returned_makes_compare_stumble(shape, dtype):
    expected = torch.ones(shape).to(dtype)
    for got in strange():
        for exact_zeros in (False, True):
            problem = compare(got, expected, TINY, "a", exact_zeros=exact_zeros)
            assert problem is None or problem.startswith("a: ")
        compare(got, {"shape": list(shape)}, TINY, "a")
        for names in (["a"], ["a", "b"]):
            given = (expected,) * len(names)
            how = {"names": names, "look_at": names}
            compare_outputs(got, given if len(names) > 1 else expected, TINY, **how)
            compare_outputs((got, got), given if len(names) > 1 else expected, TINY, **how)


def test_a_call_is_described_by_its_shapes():
    q = torch.zeros(2, 3, dtype=torch.float64)
    args = [q, q.mT, q.float(), q.to("meta"), 3]
    assert describe_call("f", ["a", "b", "c", "d", "e"], args, {"mask": q.bool()}) == (
        "f(a (2, 3), b non-contiguous (3, 2), c float32 (2, 3), d meta (2, 3), e 3, mask=(2, 3))"
    )


# cases.json


@st.composite
def tensors(draw):
    dtype = draw(st.sampled_from([torch.float32, torch.float64, torch.bool, torch.int64]))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    tensor = (3 * torch.randn(shape, generator=generator, dtype=torch.float64)).to(dtype)
    tensor = tensor.permute(draw(st.permutations(range(len(shape)))))
    if dtype.is_floating_point:
        tensor.requires_grad_(draw(st.booleans()))
    return tensor


def same(one, other):
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    assert torch.equal(one.detach(), other.detach())
    assert one.requires_grad == other.requires_grad
    assert one.is_leaf
    assert one.is_contiguous() == other.is_contiguous()
    if other.numel():
        real = [axis for axis, size in enumerate(other.shape) if size > 1]
        assert [one.stride()[axis] for axis in real] == [other.stride()[axis] for axis in real]


@settings(deadline=None)
@given(tensors())
def test_a_tensor_comes_back_from_json_with_its_values_and_its_layout(tensor):
    same(from_json(json.loads(json.dumps(_to_json(tensor)))), tensor)


def test_what_is_not_a_tensor_comes_back_too():
    value = (3, None, True, "cpu", 0.1, (torch.tensor(1.5), [torch.zeros(2, 3)[:, 1:]]))
    back = from_json(json.loads(json.dumps(_to_json(value))))
    assert back[:5] == value[:5]
    same(back[5][0], value[5][0])
    assert torch.equal(back[5][1][0], torch.zeros(2, 2))
    assert from_json({"shape": [2, 3]}) == {"shape": [2, 3]}
    numbers = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 5e-324], dtype=torch.float64)
    back = from_json(json.loads(json.dumps(_to_json(numbers))))
    assert torch.equal(back.view(torch.int64), numbers.view(torch.int64))
