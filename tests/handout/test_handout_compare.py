"""How a tensor is compared with the expected one, what is said of it, and that none breaks it."""

import math
import warnings

import pytest
import torch

from autograder.handout.checks.compare import compare, compare_outputs, describe_call, differences

TINY = 1e-12
KEPT = "is a module or an nn.Parameter assigned to"
A = torch.tensor([[1.0, -2.0, 0.0], [1e6, 0.5, 0.0]], dtype=torch.float64)


def test_numbers_of_float32_are_called_so_and_told_apart():
    right = torch.tensor([1.7, 2.1], dtype=torch.float64)
    problem = compare(right.float().double(), right, 1e-12, "a")
    assert "expected 1.7, got 1.70000004768; " in problem
    assert problem.endswith("These are numbers of float32: where does float64 get lost?")


def test_float32_is_claimed_of_nothing_else():
    right = torch.tensor([1.7, 2.1], dtype=torch.float64)
    root = torch.tensor(1.7).sqrt().double()
    for little in (right + 1e-8, right * (root / 1.7**0.5)):
        assert compare(little, right, 1e-12, "a").endswith("that is added: is there one?")
    for off in (1e-13, 1e-9, 1e-4):
        assert "float32" not in compare(right + off, right, 1e-14, "a")


def test_what_has_no_data_is_no_number():
    empty = torch.empty((), device="meta")
    assert compare(empty, 0.5, TINY, "a") == "a: expected a number, got one tensor of shape ()"


def test_a_return_is_asked_for_where_something_is_returned():
    assert compare(None, A, TINY, "a") == "a: expected a torch.Tensor, got None"
    how = {"names": ["the result"], "look_at": ["the result"]}
    said = compare_outputs(None, A, TINY, **how)
    assert said == "the result: expected a torch.Tensor, got None: is there a return?"
    assert said.kind == "type"
    pair = compare_outputs((A, None), (A, A), TINY, names=["a", "b"], look_at=["a", "b"])
    assert pair == "b: expected a torch.Tensor, got None"


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
        "f(a (2, 3), b non-contiguous (3, 2), c float32 (2, 3), d meta (2, 3), e 3, mask (2, 3))"
    )


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ({}, f"missing: inner.weight, outer ({KEPT} self.inner?)"),
        ({"inner.weight": (2,)}, f"missing: outer ({KEPT} self.outer?)"),
        ({"inner.scale": (2,), "outer": (3,)}, "missing: inner.weight; not asked for: inner.scale"),
        ({"inner.bias": (2,), "outer": (3,), "inner.weight": (2,)}, "not asked for: inner.bias"),
        ({"weight": (2,), "outer": (3,)}, "missing: inner.weight; not asked for: weight"),
        ({"inner.weight": (2,), "outer": (3,)}, None),
    ],
)
def test_who_lacks_a_part_without_another_in_its_place_is_asked_where_it_is_kept(theirs, said):
    """`inner = nn.Linear(...)` without `self.` was told of lists, and of nothing that was done."""
    assert differences(theirs, {"inner.weight": (2,), "outer": (3,)}) == said
