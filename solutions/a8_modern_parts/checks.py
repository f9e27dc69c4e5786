"""Checks of a8_modern_parts. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct, so that no swapped axis can pass. Apart from the item about it, `eps`
plays no part in the norm: a fault there costs its own item alone. No part uses another one.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checking import Agree, Blueprint, Draw, Student

from ..inputs import draw_mask, mask_that
from ..meetings import Meeting, ask_one, ask_there, meeting, relaid

BATCH, T, D_MODEL, D_FF = 2, 5, 24, 10
N_HEADS, N_KV_HEADS, D_K = 6, 2, 4
SMALL = 8, 4, 2  # where every gradient is written down for the notebook
TIMES = 4  # that many times as many positions, for counting operations
TURNING = "rotary"
CLASS = "GroupedQueryAttention"
# Of scores of vectors of 6 numbers; float32 needs a hundredth of it.
ROUNDING = 0.05
# Leading axes, how large, d_model, eps, dtype; if relaid; if in train mode; what is asked.
IN_NORMS = [
    ((), 1, 24, 0.125, torch.float64, False, True, "other weights"),
    ((), 1, 7, 0.0, torch.float64, False, False, "in place"),
    ((), 300, 24, 0.125, torch.float32, False, False, "gradients"),
    ((2, 5), 1, 24, 0.125, torch.float64, True, True, "gradients"),
    ((2, 5), 1, 7, 0.125, torch.float32, True, True, "in place"),
    ((2, 5), 300, 24, 0.0, torch.float64, False, True, "in place"),
    ((2, 5), 300, 7, 0.0, torch.float32, True, False, "gradients"),
    ((2, 5), 300, 7, 0.0, torch.float32, True, False, "other weights"),
]
# Sentences, heads, positions, columns, which positions, dtype; if relaid; what is asked.
IN_TURNING = [
    (1, 1, 1, 6, "later", torch.float32, True, "gradients"),
    (1, 1, 5, 6, "any", torch.float32, True, "gradients"),
    (1, 1, 67, 2, "first", torch.float64, False, "gradients"),
    (1, 1, 67, 2, "later", torch.float32, True, "device"),
    (1, 1, 67, 6, "any", torch.float64, True, "in place"),
    (1, 3, 5, 6, "first", torch.float32, True, "device"),
    (2, 1, 1, 2, "first", torch.float32, False, "in place"),
    (2, 1, 1, 6, "any", torch.float64, False, "device"),
    (2, 3, 1, 2, "first", torch.float64, True, "gradients"),
    (2, 3, 5, 2, "later", torch.float64, False, "in place"),
    (2, 3, 67, 2, "any", torch.float32, True, "device"),
]
# Leading axes, how large, d_model, d_ff, dtype; if relaid; if in train mode; what is asked.
IN_NETWORKS = [
    ((), 1, 24, 10, torch.float32, False, True, "other weights"),
    ((), 4, 6, 7, torch.float64, False, False, "gradients"),
    ((), 4, 24, 10, torch.float64, False, True, "in place"),
    ((2, 5), 1, 6, 7, torch.float32, True, False, "in place"),
    ((2, 5), 1, 24, 10, torch.float32, True, True, "gradients"),
    ((2, 5), 4, 24, 10, torch.float64, False, False, "other weights"),
    ((2, 5), 4, 6, 7, torch.float64, True, True, "other weights"),
]
# Sentences, positions, heads of keys, the mask's axes, what it blocks, and on as above.
IN_ATTENTION = [
    (1, 1, 1, "square", "row", torch.float32, True, False, "gradients"),
    (1, 1, 2, None, None, torch.float64, False, True, "gradients"),
    (1, 5, 1, "square", "none", torch.float32, True, False, "in place"),
    (1, 5, 2, "square", "some", torch.float32, True, False, "other weights"),
    (1, 5, 2, "square", "some", torch.float64, False, True, "in place"),
    (1, 5, 6, "full", "none", torch.float64, True, True, "other weights"),
    (1, 5, 6, "square", "some", torch.float32, False, False, "gradients"),
    (2, 1, 2, "full", "none", torch.float64, False, False, "gradients"),
    (2, 1, 6, None, None, torch.float32, True, False, "in place"),
    (2, 1, 6, "square", "row", torch.float64, False, True, "other weights"),
    (2, 5, 1, None, None, torch.float64, False, True, "other weights"),
    (2, 5, 1, "full", "some", torch.float32, True, True, "gradients"),
    (2, 5, 2, "full", "row", torch.float64, False, False, "in place"),
]

item = pytest.mark.item


def norm(agree: Agree, d_model: int = D_MODEL) -> Blueprint:
    return agree.module("RMSNorm", d_model, eps=0.0)


def network(agree: Agree, d_model: int = D_MODEL, d_ff: int = D_FF) -> Blueprint:
    return agree.module("SwiGLU", d_model, d_ff)


def attention(agree: Agree, *sizes: int) -> Blueprint:
    return agree.module(CLASS, *(sizes or (D_MODEL, N_HEADS, N_KV_HEADS)))


def sentences(draw: Draw, dtype: torch.dtype = torch.float64) -> Tensor:
    return draw.normal(BATCH, T, D_MODEL, dtype=dtype)


def arrows(draw: Draw, t: int = T, d_k: int = 6, dtype: torch.dtype = torch.float64) -> Tensor:
    return draw.normal(BATCH, 3, t, d_k, dtype=dtype)


def causal(t: int = T) -> Tensor:
    return torch.ones(t, t, dtype=torch.bool).tril()


# rms_parameters


@item("rms_parameters", public=True, hint="One nn.Parameter, weight, of shape (d_model,)?")
@pytest.mark.parametrize("d_model", [D_MODEL, 1])
def test_norm_parameters(agree: Agree, d_model: int) -> None:
    """The norm has the parameter weight, (d_model,), and no others."""
    agree.parameters(agree.module("RMSNorm", d_model))


@item(
    "rms_parameters",
    public=True,
    hint="What may a new norm do to the numbers, other than norm them?",
)
def test_norm_at_the_start(agree: Agree) -> None:
    """In a new norm every weight is 1."""
    agree.parameters(agree.module("RMSNorm", D_MODEL), start=("weight",))


# rms_output


@item("rms_output", public=True, hint="Square, mean, root: over which axis, and is one left out?")
def test_norm(agree: Agree, draw: Draw) -> None:
    """Each position is divided by the root of the mean of its squares, then weight is applied."""
    agree(norm(agree, 6), 3 * draw.normal(BATCH, T, 6) + 1)


@item("rms_output", public=True, hint="Which numbers share a mean? Count the axes from the end.")
def test_norm_of_one_position(agree: Agree, draw: Draw) -> None:
    """A single vector, without any leading dimension, is normed as well."""
    agree(norm(agree), draw.normal(D_MODEL))


@item("rms_output", hint="Does the norm keep numbers of its own from one batch for the next?")
def test_norm_in_training(agree: Agree, draw: Draw) -> None:
    """In train mode the result is the same."""
    agree(norm(agree).training(), sentences(draw))


@item("rms_output", hint="Which numbers share a mean? Count the axes from the end.")
@pytest.mark.parametrize("leading", [(3,), (2, 3, 4), (2, 3, 4, 5)], ids=len)
def test_norm_leading(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """Any number of leading dimensions will do: none, one, three, four."""
    agree(norm(agree), draw.normal(*leading, D_MODEL))


@item(
    "rms_output",
    hint="Is d_model read from the constructor, or is it a constant?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("d_model", [2, 7, 64])
def test_norm_follows_d_model(agree: Agree, draw: Draw, d_model: int) -> None:
    """The norm has the size that is asked for."""
    agree(norm(agree, d_model), draw.normal(BATCH, T, d_model))


@item(
    "rms_output", hint="Does a single position, or a single sentence, lose an axis?", fits="shape"
)
@pytest.mark.parametrize("leading", [(1, T), (BATCH, 1), (1, 1), (1,)], ids=str)
def test_norm_single(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """A single sentence, and a single position, are no special case."""
    agree(norm(agree), draw.normal(*leading, D_MODEL))


@item("rms_output", hint="Over the last axis alone: neither the batch nor t has a say.")
def test_norm_position_alone(agree: Agree, draw: Draw) -> None:
    """A position comes out the same whatever else is in the tensor."""
    x = sentences(draw)
    before = agree(norm(agree), x).value
    others = 100 * sentences(draw)
    others[1, 2] = x[1, 2]
    after = agree(norm(agree), others).value
    if not torch.equal(before[1, 2], after[1, 2]):
        agree.wrong(norm(agree), "the other positions were changed, and so was this one", x)


@item("rms_output", hint="One operation can do it for all positions.")
def test_norm_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions as for few (this costs nothing)."""
    x = sentences(draw)
    agree.operations(norm(agree), [x], [x.repeat(TIMES, TIMES, 1)], "the number of positions")


# rms_eps


@item(
    "rms_eps",
    public=True,
    hint="When rms_output is right: is eps added to the mean, before the root is taken?",
)
def test_norm_eps(agree: Agree, draw: Draw) -> None:
    """eps is 1e-6 when nothing is said, and is added to the mean of the squares."""
    agree(agree.module("RMSNorm", 6), draw.normal(BATCH, T, 6) * 1e-3)  # squares of about 1e-6


@item("rms_eps", hint="Is the eps that was passed the one that is used?")
@pytest.mark.parametrize("eps", [1e-12, 1e-3, 0.5])
def test_norm_eps_is_passed(agree: Agree, draw: Draw, eps: float) -> None:
    """Any eps may be passed to the constructor, by its name."""
    agree(agree.module("RMSNorm", D_MODEL, eps=eps), sentences(draw))


@item("rms_eps", hint="Is there another bound beside eps, below which nothing may fall?")
@pytest.mark.parametrize(("eps", "small"), [(1e-18, 1e-9), (1e-18, 1e-7), (1e-30, 1e-15)])
def test_norm_of_small_numbers(agree: Agree, draw: Draw, eps: float, small: float) -> None:
    """However small eps and the numbers are, both count."""
    agree(agree.module("RMSNorm", D_MODEL, eps=eps), small * sentences(draw))


@item("rms_eps", hint="What is divided by what when all numbers are 0?", fits="infinite")
def test_norm_of_zeros(agree: Agree, draw: Draw) -> None:
    """A vector of zeros comes out as zeros, beside others that are not."""
    x = sentences(draw)
    x[0, 1] = 0.0
    agree(agree.module("RMSNorm", D_MODEL), x)


@item(
    "rms_eps",
    hint="The root of 0 has no finite gradient: is eps added before it is taken?",
    fits="infinite",
)
def test_norm_eps_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients are finite and right for vectors of zeros, one or all, and close to them."""
    x = sentences(draw)
    x[0, 1] = 0.0
    x[1, 4] *= 1e-3
    upstream = (draw.normal(*x.shape),)
    for each in (x, torch.zeros_like(x)):
        agree(agree.module("RMSNorm", D_MODEL, eps=1e-3), each, cotangents=upstream)


# rms_tensors


@item(
    "rms_tensors",
    public=True,
    hint="The root depends on x. Is it detached, or made anew?",
    fits="gradient",
)
def test_norm_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x and of weight are right."""
    x = draw.normal(BATCH, 3, 6)
    agree(norm(agree, 6), x, cotangents=(draw.normal(*x.shape),))


@item("rms_tensors", hint="Is anything made in float64, or turned into it?", fits="dtype")
def test_norm_float32(agree: Agree, draw: Draw) -> None:
    """A float32 norm gives float32 for float32 inputs."""
    agree(norm(agree).in_float32(), sentences(draw, torch.float32))


@item("rms_tensors", public=True, hint="view needs contiguous memory.", fits="layout")
def test_norm_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory, such as a transposed one, works as well."""
    agree(norm(agree, 6), relaid(draw.normal(BATCH, T, 6)))


@item("rms_tensors", hint="On which device is a new tensor made?", fits="device")
def test_norm_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x and the parameter."""
    agree(norm(agree), sentences(draw), elsewhere=True)


@item("rms_tensors", hint="Methods that end in _, and operators such as /=, write in place.")
def test_norm_input_unchanged(agree: Agree, draw: Draw) -> None:
    """The input is left as it is."""
    agree.unchanged(norm(agree), sentences(draw))


@item("rms_tensors", crowded=True)
@meeting(IN_NORMS)
def test_norm_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Axes, sizes, eps, dtypes, layouts, modes, gradients and calls may meet at will."""
    leading, times, d_model, eps, *_ = met
    ask_one(agree, draw, agree.module("RMSNorm", d_model, eps=eps), (*leading, d_model), met, times)


# rotary_output


@item("rotary_output", public=True, hint="Turn (1, 0, 1, 0) at position 3 by hand, and compare.")
def test_turned(agree: Agree, draw: Draw) -> None:
    """Each pair of neighbours is turned by the angle of its position and its hand."""
    agree(TURNING, arrows(draw), torch.arange(T))


@item("rotary_output", public=True, hint="What are cosine and sine of an angle of 0?")
def test_turned_at_position_0(agree: Agree, draw: Draw) -> None:
    """Position 0 is left as it is."""
    agree(TURNING, arrows(draw, 1, 4), torch.arange(1))


@item("rotary_output", hint="Which exponent has the second pair, for another d_k?")
@pytest.mark.parametrize("d_k", [2, 4, 16, 64])
def test_turned_in_any_width(agree: Agree, draw: Draw, d_k: int) -> None:
    """So it is for a single pair, and for many."""
    agree(TURNING, draw.normal(BATCH, 3, 33, d_k), torch.arange(33))


@item(
    "rotary_output",
    hint="Which axis of x belongs to the positions? Is one of size 1 lost?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(1, 4, 7), (5, 1, 7), (7, 7, 7), (1, 1, 1), (3, 4, 1)], ids=str)
def test_turned_in_any_batch(agree: Agree, draw: Draw, sizes: tuple[int, int, int]) -> None:
    """Any batch, any number of heads and any t will do, 1 among them."""
    agree(TURNING, draw.normal(*sizes, 6), torch.arange(sizes[-1]))


@item("rotary_output", hint="One operation can do it for all positions, and for all pairs.")
def test_turning_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions and columns as for few (this costs nothing)."""
    few = arrows(draw, 3, 4), torch.arange(3)
    agree.operations(TURNING, few, (arrows(draw, 30, 4), torch.arange(30)), grows_with="t")
    agree.operations(TURNING, few, (arrows(draw, 3, 40), torch.arange(3)), grows_with="d_k")


# rotary_positions


def turned_after(agree: Agree, draw: Draw, before: list[int]) -> None:
    """Let arrows be turned after a call with other positions."""
    positions, other = torch.tensor([8, 15, 2, 24, 11]), torch.tensor(before)
    for in_place in (False, True):  # in another tensor, and in this one
        agree(TURNING, arrows(draw), positions, before={1: other}, in_place=in_place)


@item("rotary_positions", public=True, hint="Are the positions those that were passed?")
@pytest.mark.parametrize("positions", [[7, 8, 9, 10, 11], [4, 0, 30, 2, 2]], ids=["later", "any"])
def test_turned_from_anywhere(agree: Agree, draw: Draw, positions: list[int]) -> None:
    """Positions may start anywhere, skip, and come in any order."""
    agree(TURNING, arrows(draw), torch.tensor(positions))


@item("rotary_positions", hint="What do the first and the last tell of those between them?")
@pytest.mark.parametrize("positions", [[5, 7, 6, 8, 9], [9, 2, 30, 4, 13]], ids=["near", "far"])
def test_turned_in_any_order(agree: Agree, draw: Draw, positions: list[int]) -> None:
    """Between the first position and the last, others may skip and change places."""
    agree(TURNING, arrows(draw), torch.tensor(positions))


@item("rotary_positions", hint="Is a position more than its place in the sentence?")
def test_turned_alone(agree: Agree, draw: Draw) -> None:
    """A single word may stand at any position."""
    agree(TURNING, arrows(draw, 1), torch.tensor([57]))


@item("rotary_positions", hint="Which way does a hand turn for a position below 0?")
@pytest.mark.parametrize("first", [-9, 1 - T], ids=["below", "up_to_0"])
def test_turned_back(agree: Agree, draw: Draw, first: int) -> None:
    """Positions below 0 turn the other way, also those that end at 0."""
    agree(TURNING, arrows(draw), torch.arange(T) + first)


@item("rotary_positions", hint="In which dtype is an angle of a thousand?")
def test_turned_far(agree: Agree, draw: Draw) -> None:
    """Positions may be up to a thousand."""
    agree(TURNING, arrows(draw), torch.tensor([120, 1000, 555, 31, 876]))


@item("rotary_positions", hint="Is there an end to the positions, as that of a table?")
def test_turned_very_far(agree: Agree, draw: Draw) -> None:
    """Positions may be thousands on either side: there is no end to whole numbers."""
    agree(TURNING, arrows(draw), torch.tensor([2_503, -2_507, 2_111, 0, -2]))


@item("rotary_positions", public=True, hint="Where in the formula does base stand?")
@pytest.mark.parametrize(("base", "d_k"), [(10.0, 14), (500_000.0, 18)], ids=str)
def test_turned_by_another_base(agree: Agree, draw: Draw, base: float, d_k: int) -> None:
    """Any base may be passed, by its name."""
    # Nobody else has these d_k: what was kept for one is not taken for a base that is ignored.
    agree(TURNING, arrows(draw, d_k=d_k), torch.tensor([3, 9, 27, 1, 40]), base=base)


@item("rotary_positions", hint="Is something still there from the call before?")
def test_turned_by_one_base_after_another(agree: Agree, draw: Draw) -> None:
    """After a call with another base, the base is the one that is passed."""
    x, positions = arrows(draw, d_k=22), torch.tensor([3, 9, 27, 1, 40])
    agree(TURNING, x, positions, base=500_000.0, before={"base": 10.0})


@item("rotary_positions", hint="Is something still there from the call before?")
def test_turned_by_one_order_after_another(agree: Agree, draw: Draw) -> None:
    """After a call with other positions between the same ends, those that are passed count."""
    turned_after(agree, draw, [8, 2, 33, 6, 11])


@item("rotary_positions", hint="Is something still there from the call before?")
def test_turned_by_some_after_as_many(agree: Agree, draw: Draw) -> None:
    """After a call with as many other positions, those that are passed count."""
    turned_after(agree, draw, [4, 2, 33, 6, 13])


@item("rotary_positions", hint="By which angle have two arrows turned away from each other?")
def test_scores_know_distances_alone(student: Student, agree: Agree, draw: Draw) -> None:
    """When query and key are both moved by one number of positions, their product is the same."""
    (q, k), here = (arrows(draw), arrows(draw)), torch.arange(T)
    scores = []
    for positions in (here, here + 37):
        turned = [student.call(TURNING, each, positions).value for each in (q, k)]
        for each in turned:
            if not isinstance(each, Tensor) or each.shape != q.shape:
                agree.wrong(TURNING, f"expected a tensor of shape {tuple(q.shape)}", q, positions)
        scores.append(turned[0].double() @ turned[1].double().transpose(-2, -1))
    if (scores[0] - scores[1]).abs().max() > ROUNDING:
        problem = "q and k were both moved by 37 positions, and their dot products changed"
        agree.wrong(TURNING, problem, q, here + 37)


# rotary_odd_size


@item("rotary_odd_size", public=True, hint="What is left of d_k % 2? Raise ValueError.")
def test_odd_size(agree: Agree, draw: Draw) -> None:
    """An odd d_k raises a ValueError that names it."""
    agree.raises(ValueError, TURNING, arrows(draw, T, 13), torch.arange(T), naming=(13,))


@item("rotary_odd_size", hint="Is the number in the message the one that was passed?")
@pytest.mark.parametrize("d_k", [1, 7, 65])
def test_more_odd_sizes(agree: Agree, draw: Draw, d_k: int) -> None:
    """So does every other odd d_k, however small or large."""
    at = torch.arange(T)
    fits = arrows(draw, T, 12), at
    agree.raises(ValueError, TURNING, arrows(draw, T, d_k), at, naming=(d_k,), unlike=fits)


# rotary_tensors


@item(
    "rotary_tensors", public=True, hint="Through which step does no gradient flow?", fits="gradient"
)
def test_turning_gradients(agree: Agree, draw: Draw) -> None:
    """The gradient of x is right."""
    x = arrows(draw)
    agree(TURNING, x, torch.arange(T), cotangents=(draw.normal(*x.shape),))


@item("rotary_tensors", hint="Are cosine and sine brought to the dtype of x?", fits="dtype")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_turning_keeps_the_dtype(agree: Agree, draw: Draw, dtype: torch.dtype) -> None:
    """The result has the dtype of x, float32 or float64."""
    agree(TURNING, arrows(draw, dtype=dtype), torch.arange(T))


@item("rotary_tensors", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_turning_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory works as well, such as heads that were split."""
    agree(TURNING, relaid(draw.normal(BATCH, 3, T, 6)), torch.arange(T))
    agree(TURNING, draw.normal(BATCH, T, 3, 6).transpose(1, 2), torch.arange(T))


@item("rotary_tensors", hint="On which device are the speeds of the hands made?", fits="device")
def test_turning_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x."""
    agree(TURNING, arrows(draw), torch.arange(T), elsewhere=True)


@item("rotary_tensors", hint="x[..., 0::2] = ... writes to the tensor that was passed.")
def test_turning_inputs_unchanged(agree: Agree, draw: Draw) -> None:
    """x and positions are left as they are."""
    agree.unchanged(TURNING, arrows(draw), torch.arange(T))


@item("rotary_tensors", crowded=True)
@meeting(IN_TURNING)
def test_turning_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, positions, dtypes, layouts, gradients, devices and calls may meet at will."""
    *sizes, which, dtype, is_relaid, asked = met
    first = torch.arange(sizes[2])
    positions = {"first": first, "later": first + 7, "any": first.flip(0) * 3 + 4}[which]
    x, other, upstream = (draw.normal(*sizes, dtype=dtype) for _ in range(3))
    earlier = {0: other, 1: positions + 2}
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": earlier}
    ask_there(agree, TURNING, relaid(x) if is_relaid else x, positions, **beside)


# swiglu_output


@item(
    "swiglu_output",
    public=True,
    hint="gate, up and down: three nn.Linear without a bias?",
    fits=("values", "shape"),
)
def test_network_parameters(agree: Agree) -> None:
    """The network has the matrices of gate, up and down, and no other parameters."""
    agree.parameters(network(agree))


@item("swiglu_output", public=True, hint="Which of the two goes through SiLU, and is it a product?")
def test_network(agree: Agree, draw: Draw) -> None:
    """The result is down of the product of silu(gate(x)) and up(x)."""
    agree(network(agree, 6, 4), draw.normal(BATCH, T, 6))


@item("swiglu_output", hint="Is anything done in train mode that is not in the formula?")
def test_network_in_training(agree: Agree, draw: Draw) -> None:
    """In train mode as in eval mode: nothing is dropped."""
    agree(network(agree).training(), sentences(draw))


@item("swiglu_output", hint="nn.Linear works on the last axis of anything.")
@pytest.mark.parametrize("leading", [(), (3,), (2, 3, 4), (1, 1)], ids=str)
def test_network_leading(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """Any number of leading dimensions will do, none among them."""
    agree(network(agree), draw.normal(*leading, D_MODEL))


@item(
    "swiglu_output",
    hint="Is d_ff used, and can it be the smaller one?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(5, 12), (8, 2), (1, 8)], ids=str)
def test_network_sizes(agree: Agree, draw: Draw, sizes: tuple[int, int]) -> None:
    """d_ff may be larger than d_model, or smaller."""
    agree(network(agree, *sizes), draw.normal(BATCH, T, sizes[0]))


@item("swiglu_output", hint="What does SiLU leave of -50? Is a number clamped on the way to it?")
def test_network_of_large_numbers(agree: Agree, draw: Draw) -> None:
    """Large numbers: of one far below 0 SiLU leaves next to nothing."""
    agree(network(agree), 30 * sentences(draw))


@item("swiglu_output", hint="Is a step done outside of autograd?", fits="gradient")
def test_network_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x and of all parameters are right."""
    x = sentences(draw)
    agree(network(agree), x, cotangents=(draw.normal(*x.shape),))


@item("swiglu_output", hint="Is a constant made in another dtype than x's?", fits="dtype")
def test_network_float32(agree: Agree, draw: Draw) -> None:
    """A float32 network gives float32 for float32 inputs."""
    agree(network(agree).in_float32(), sentences(draw, torch.float32))


@item("swiglu_output", hint="On which device is a new tensor made?", fits="device")
def test_network_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x and the parameters."""
    agree(network(agree), sentences(draw), elsewhere=True)


@item("swiglu_output", hint="view needs contiguous memory.", fits="layout")
def test_network_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory works as well."""
    agree(network(agree), relaid(draw.normal(BATCH, T, D_MODEL)))


@item("swiglu_output", hint="Methods that end in _ write in place.")
def test_network_input_unchanged(agree: Agree, draw: Draw) -> None:
    """The input is left as it is."""
    agree.unchanged(network(agree), sentences(draw))


@item("swiglu_output", hint="One operation can do it for all positions.")
def test_network_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions as for few (this costs nothing)."""
    x = sentences(draw)
    agree.operations(network(agree), [x], [x.repeat(TIMES, TIMES, 1)], "the positions")


@item("swiglu_output", crowded=True)
@meeting(IN_NETWORKS)
def test_network_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Axes, sizes, dtypes, layouts, modes, gradients and calls may meet at will."""
    leading, times, d_model, d_ff, *_ = met
    ask_one(agree, draw, network(agree, d_model, d_ff), (*leading, d_model), met, times)


# gqa_sizes


@item("gqa_sizes", public=True, hint="What does % leave, of each of the two? Raise ValueError.")
@pytest.mark.parametrize(
    ("sizes", "named"), [((10, 3, 1), (10, 3)), ((12, 6, 4), (6, 4))], ids=["heads", "groups"]
)
def test_bad_sizes(agree: Agree, sizes: tuple[int, ...], named: tuple[int, ...]) -> None:
    """Sizes that leave a remainder raise a ValueError that names both."""
    agree.raises(ValueError, CLASS, *sizes, naming=named)


@item("gqa_sizes", hint="Are both numbers in the message, those that were passed?")
@pytest.mark.parametrize(
    ("sizes", "named"),
    [((512, 7, 7), (512, 7)), ((5, 8, 4), (5, 8)), ((64, 8, 3), (8, 3)), ((48, 4, 12), (4, 12))],
    ids=str,
)
def test_more_bad_sizes(agree: Agree, sizes: tuple[int, ...], named: tuple[int, ...]) -> None:
    """So do all others, more heads than numbers and more groups than heads included."""
    agree.raises(ValueError, CLASS, *sizes, naming=named, unlike=(48, 8, 4))


# gqa_groups


@item(
    "gqa_groups",
    public=True,
    hint="How many numbers do two heads of keys have, and has any a bias?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(D_MODEL, N_HEADS, N_KV_HEADS), (8, 4, 1)], ids=str)
def test_attention_parameters(agree: Agree, sizes: tuple[int, int, int]) -> None:
    """The module has the matrices of its four projections, and no other parameters."""
    agree.parameters(attention(agree, *sizes))


@item("gqa_groups", public=True, hint="Which head of keys does query head 1 read: 0 or 1?")
def test_groups(agree: Agree, draw: Draw) -> None:
    """Neighbouring query heads share a head of keys and values."""
    agree(attention(agree), sentences(draw))


@item("gqa_groups", public=True, hint="How often is a head repeated when there is one, or all?")
@pytest.mark.parametrize("n_kv_heads", [1, N_HEADS], ids=["one", "all"])
def test_groups_at_the_ends(agree: Agree, draw: Draw, n_kv_heads: int) -> None:
    """One head of keys and values may serve all, and each query head may have its own."""
    agree(attention(agree, D_MODEL, N_HEADS, n_kv_heads), draw.normal(1, 3, D_MODEL))


@item(
    "gqa_groups",
    hint="Is a number of heads, or d_k, written out somewhere?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(24, 6, 3), (16, 8, 2), (12, 12, 4), (10, 1, 1), (24, 2, 1)])
def test_groups_of_any_size(agree: Agree, draw: Draw, sizes: tuple[int, int, int]) -> None:
    """Any sizes that leave no remainder will do."""
    agree(attention(agree, *sizes), draw.normal(BATCH, T, sizes[0]))


@item("gqa_groups", hint="Does an axis of size 1 get squeezed away?", fits=("values", "shape"))
@pytest.mark.parametrize(("batch", "t"), [(1, T), (BATCH, 1), (1, 1), (3, 7)])
def test_groups_in_any_batch(agree: Agree, draw: Draw, batch: int, t: int) -> None:
    """Any batch and any length will do, 1 among them."""
    agree(attention(agree), draw.normal(batch, t, D_MODEL))


@item("gqa_groups", hint="Is something still there from the call before?")
def test_one_word_after_a_sentence(agree: Agree, draw: Draw) -> None:
    """After a call with a whole sentence, a word that comes alone hears itself alone."""
    agree(attention(agree), draw.normal(BATCH, 1, D_MODEL), before={0: sentences(draw)})


@item("gqa_groups", hint="Is anything done in train mode that is not in the formula?")
def test_attention_in_training(agree: Agree, draw: Draw) -> None:
    """In train mode as in eval mode: nothing is dropped."""
    agree(attention(agree).training(), sentences(draw))


@item("gqa_groups", hint="Which loop could be one operation on whole tensors?")
def test_attention_operations(agree: Agree, draw: Draw) -> None:
    """A larger batch and longer sentences take no more calls of torch (this costs nothing)."""
    few, made = [draw.normal(1, 2, D_MODEL)], attention(agree)
    agree.operations(made, few, [draw.normal(6, 2, D_MODEL)], grows_with="the batch")
    agree.operations(made, few, [draw.normal(1, 9, D_MODEL)], grows_with="the sentences' length")


# gqa_mask


@item("gqa_mask", public=True, hint="Is the mask handed on? True means: may attend.")
def test_mask(agree: Agree, draw: Draw) -> None:
    """A causal mask (t, t) holds for every sentence and head."""
    agree(attention(agree), sentences(draw), mask=causal())


@item("gqa_mask", hint="Leave the broadcasting to torch: what shape have the scores?")
@pytest.mark.parametrize(
    "shape",
    [(T,), (1, T, T), (1, 1, T, T), (N_HEADS, 1, T), (BATCH, 1, 1, T), (BATCH, N_HEADS, T, T)],
    ids=str,
)
def test_mask_broadcasts(agree: Agree, draw: Draw, shape: tuple[int, ...]) -> None:
    """A mask of any shape that broadcasts to (batch, n_heads, t, t) works."""
    agree(attention(agree), sentences(draw), mask=draw_mask(draw, *shape))


@item("gqa_mask", hint="Does a size tell what an axis stands for?")
def test_mask_of_as_many_words_as_sentences(agree: Agree, draw: Draw) -> None:
    """A causal mask (t, t) is one of queries and keys, also with as many sentences as words."""
    agree(attention(agree), draw.normal(T, T, D_MODEL), mask=causal())


@item("gqa_mask", hint="Whose mask is it: that of this call, or that of one before it?")
def test_mask_of_each_call(agree: Agree, draw: Draw) -> None:
    """Each call has a mask of its own, or none, where the one before it had one of its shape."""
    mask, other = (draw_mask(draw, BATCH, 1, T, T) for _ in range(2))
    for now in (mask, None):
        agree(attention(agree), sentences(draw), mask=now, before={"mask": other})


@item("gqa_mask", hint="Is a mask that blocks nothing the same as no mask?")
@pytest.mark.parametrize("keys", [T, 1])
def test_mask_that_allows_all(agree: Agree, draw: Draw, keys: int) -> None:
    """A mask that allows every key changes nothing, be it (t, t) or (t, 1)."""
    agree(attention(agree), sentences(draw), mask=torch.ones(T, keys, dtype=torch.bool))


@item("gqa_mask", hint="Does anything of a blocked position get past the mask?")
def test_blocked_position_is_not_seen(agree: Agree, draw: Draw) -> None:
    """What stands at a position that is blocked for the others changes nothing there."""
    made, x, mask = attention(agree), sentences(draw), torch.ones(T, T, dtype=torch.bool)
    mask[:, 2] = False
    mask[2, 2] = True
    before = agree(made, x, mask=mask).value
    others = [0, 1, 3, 4]
    for large in (1e4, -1e4):  # with one of them, it fits each query far better than all others
        other = x.clone()
        other[:, 2] *= large
        after = agree(made, other, mask=mask).value
        if not torch.equal(before[:, others], after[:, others]):
            problem = "a position that is blocked for the others was changed, and so were they"
            agree.wrong(made, problem, x, mask=mask)


# gqa_blocked_rows


def draw_blocking(draw: Draw) -> Tensor:
    """A mask in which a query has no key in all heads, and another one in one head."""
    mask = draw_mask(draw, BATCH, N_HEADS, T, T)
    mask[0, :, 3] = False
    mask[1, 2, 1] = False
    return mask


@item(
    "gqa_blocked_rows",
    public=True,
    hint="What is softmax of a row that is -inf all over?",
    fits="infinite",
)
def test_blocked_rows(agree: Agree, draw: Draw) -> None:
    """A query that may attend to nothing gets zeros, never NaN."""
    mask = causal()
    mask[1] = False
    agree(attention(agree), sentences(draw), mask=mask)


@item("gqa_blocked_rows", hint="How many entries has a row of the mask, and how many keys?")
def test_blocked_rows_of_one_column(agree: Agree, draw: Draw) -> None:
    """A query whose row of a mask (t, 1) is False gets zeros."""
    mask = torch.ones(T, 1, dtype=torch.bool)
    mask[1] = False
    agree(attention(agree), sentences(draw), mask=mask)


@item("gqa_blocked_rows", hint="Is every head told of the mask in the same way?")
def test_blocked_rows_of_some_heads(agree: Agree, draw: Draw) -> None:
    """A query may be blocked in one head, or in one sentence, alone."""
    agree(attention(agree), sentences(draw), mask=draw_blocking(draw))


@item("gqa_blocked_rows", hint="Is a word that is alone heard, whatever the mask says?")
def test_the_only_word_is_blocked(agree: Agree, draw: Draw) -> None:
    """A single word that may not hear itself gets zeros, from all heads or from some."""
    nobody = torch.zeros(BATCH, 1, 1, 1, dtype=torch.bool)
    some = torch.arange(N_HEADS).view(1, N_HEADS, 1, 1) % 4 != 1  # heads 1 and 5 are blocked
    for mask in (nobody, some):
        agree(attention(agree), draw.normal(BATCH, 1, D_MODEL), mask=mask)


@item(
    "gqa_blocked_rows",
    hint="Is NaN replaced after it has already reached the gradient?",
    fits="infinite",
)
def test_blocked_rows_gradients(agree: Agree, draw: Draw) -> None:
    """A query that may attend to nothing leaves every gradient finite and right."""
    x = sentences(draw)
    upstream = (draw.normal(*x.shape),)
    for mask in (draw_blocking(draw), torch.zeros(T, T, dtype=torch.bool)):
        agree(attention(agree), x, mask=mask, cotangents=upstream)


# gqa_tensors


@item("gqa_tensors", public=True, hint="Which step is done outside of autograd?", fits="gradient")
def test_attention_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x and of all four matrices are right."""
    x = draw.normal(BATCH, 3, SMALL[0])
    agree(attention(agree, *SMALL), x, cotangents=(draw.normal(*x.shape),))


@item(
    "gqa_tensors", hint="Does a head that is shared hear from all that share it?", fits="gradient"
)
def test_attention_gradients_with_mask(agree: Agree, draw: Draw) -> None:
    """They are right with a mask, and in a larger module."""
    x, mask = sentences(draw), draw_mask(draw, BATCH, 1, T, T)
    agree(attention(agree), x, mask=mask, cotangents=(draw.normal(*x.shape),))


@item("gqa_tensors", hint="Is anything made in float64, or turned into it?", fits="dtype")
def test_attention_float32(agree: Agree, draw: Draw) -> None:
    """A float32 module gives float32 for float32 inputs, with a mask, too."""
    made, x = attention(agree).in_float32(), sentences(draw, torch.float32)
    agree(made, x)
    agree(made, x, mask=causal())


@item("gqa_tensors", hint="On which device is a new tensor made?", fits="device")
def test_attention_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x and the parameters, with a mask, too."""
    agree(attention(agree), sentences(draw), elsewhere=True)
    agree(attention(agree), sentences(draw), mask=causal(), elsewhere=True)


@item("gqa_tensors", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_attention_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory works as well."""
    agree(attention(agree), relaid(draw.normal(BATCH, T, D_MODEL)))


@item("gqa_tensors", hint="Methods that end in _ write in place.")
def test_attention_inputs_unchanged(agree: Agree, draw: Draw) -> None:
    """x and mask are left as they are."""
    for mask in (causal(), draw_blocking(draw)):  # a row without any key is opened in place by some
        agree.unchanged(attention(agree), sentences(draw), mask=mask)


@item("gqa_tensors", crowded=True)
@meeting(IN_ATTENTION)
def test_attention_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, masks, dtypes, layouts, modes, gradients and calls may meet at will."""
    batch, t, n_kv_heads, axes, blocks, _, is_relaid, *_ = met
    masks: dict[str, Any] = {}
    if axes:
        shapes = {"square": (t, t), "keys": (batch, 1, 1, t), "full": (batch, N_HEADS, t, t)}
        mask = mask_that(draw, blocks, *shapes[axes])
        masks["mask"] = relaid(mask) if is_relaid else mask
    made = attention(agree, D_MODEL, N_HEADS, n_kv_heads)
    ask_one(agree, draw, made, (batch, t, D_MODEL), met, **masks)
