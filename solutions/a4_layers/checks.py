"""Checks of a4_layers. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct, so that no swapped axis can pass. Apart from the items about them,
nothing is dropped and `eps` plays no part in the norm: a fault there costs its own item alone.
"""

from typing import Any

import pytest
import torch

from autograder.checking import Agree, Blueprint, Draw, Student

from ..inputs import draw_mask, draw_tokens, mask_that
from ..meetings import Meeting, ask_one, ask_there, made_for, meeting, relaid

BATCH, N_HEADS, T, T_MEMORY, D_MODEL, D_FF = 2, 3, 5, 7, 12, 20
SIZES = D_MODEL, N_HEADS, D_FF
SMALL = 6, 3, 8  # where every gradient is written down for the notebook
WIDE = 50, 2, 8  # where numbers are counted
OTHER = 16, 2, 8  # whose width many numbers divide: constants work here, too
TIMES = 4  # that many times as many positions, for counting operations
# Leading axes, how large, d_model, eps, dtype; if relaid; if in train mode; what is asked.
IN_NORMS = [
    ((), 1, 24, 0.125, torch.float64, False, True, "other weights"),
    ((), 1, 7, 1e-05, torch.float64, False, False, "in place"),
    ((), 300, 24, 0.125, torch.float32, False, False, "gradients"),
    ((2, 5), 1, 24, 0.125, torch.float64, True, True, "gradients"),
    ((2, 5), 1, 7, 0.125, torch.float32, True, True, "in place"),
    ((2, 5), 300, 24, 1e-05, torch.float64, False, True, "in place"),
    ((2, 5), 300, 7, 1e-05, torch.float32, True, False, "gradients"),
    ((2, 5), 300, 7, 1e-05, torch.float32, True, False, "other weights"),
]
# Leading axes, how large, d_model, d_ff, and on as above.
IN_NETWORKS = [
    ((), 1, 12, 20, torch.float32, False, True, "other weights"),
    ((), 1, 6, 7, torch.float64, False, False, "gradients"),
    ((), 20, 12, 20, torch.float64, False, True, "in place"),
    ((2, 5), 1, 6, 7, torch.float32, True, False, "in place"),
    ((2, 5), 20, 12, 20, torch.float32, True, True, "gradients"),
    ((2, 5), 20, 12, 20, torch.float64, False, False, "other weights"),
    ((2, 5), 20, 6, 7, torch.float64, True, True, "other weights"),
]
# Sentences, positions, the mask's axes, what it blocks, and on as above.
IN_ENCODERS = [
    (1, 1, None, None, torch.float32, False, False, "gradients"),
    (1, 5, None, None, torch.float64, False, True, "in place"),
    (1, 5, "keys", "some", torch.float32, True, False, "gradients"),
    (1, 5, "square", "row", torch.float32, True, True, "other weights"),
    (1, 5, "square", "some", torch.float32, True, False, "in place"),
    (2, 1, None, None, torch.float64, True, False, "other weights"),
    (2, 1, "keys", "row", torch.float32, False, False, "in place"),
    (2, 1, "square", "row", torch.float64, False, True, "gradients"),
    (2, 5, "keys", "some", torch.float64, False, True, "other weights"),
]
# Sentences, positions, those of the memory, the axes of the target's and the memory's mask, what
# these block, and on as above.
IN_DECODERS = [
    (1, 1, 7, None, None, None, torch.float32, False, False, "other weights"),
    (1, 1, 7, "square", "full", "some", torch.float64, True, True, "other weights"),
    (1, 1, 7, "square", "keys", "some", torch.float32, False, False, "in place"),
    (1, 5, 7, None, None, None, torch.float64, False, True, "in place"),
    (1, 5, 7, None, "keys", "row", torch.float32, False, True, "gradients of others"),
    (1, 5, 7, "square", None, "some", torch.float64, False, True, "gradients of others"),
    (2, 1, 7, None, "full", "row", torch.float32, True, True, "in place"),
    (2, 1, 7, "square", None, "row", torch.float32, True, True, "gradients of others"),
    (2, 5, 7, None, None, None, torch.float64, True, False, "gradients of others"),
    (2, 5, 7, None, "full", "some", torch.float32, False, False, "gradients of others"),
    (2, 5, 7, "square", "keys", "row", torch.float64, True, False, "other weights"),
]

item = pytest.mark.item


def norm(agree: Agree, d_model: int = D_MODEL) -> Blueprint:
    return agree.module("LayerNorm", d_model, eps=0.0)


def feed_forward(agree: Agree, d_model: int = D_MODEL, d_ff: int = D_FF) -> Blueprint:
    return agree.module("FeedForward", d_model, d_ff, dropout=0.0)


def encoder_layer(agree: Agree, *sizes: int) -> Blueprint:
    return agree.module("EncoderLayer", *(sizes or SIZES), dropout=0.0)


def decoder_layer(agree: Agree, *sizes: int) -> Blueprint:
    return agree.module("DecoderLayer", *(sizes or SIZES), dropout=0.0)


def target_and_memory(
    draw: Draw, t: int = T, t_memory: int = T_MEMORY, batch: int = BATCH
) -> tuple[torch.Tensor, torch.Tensor]:
    return draw.normal(batch, t, D_MODEL), draw.normal(batch, t_memory, D_MODEL)


def causal(t: int = T) -> torch.Tensor:
    return torch.ones(t, t, dtype=torch.bool).tril()


def padding(draw: Draw, t: int = T_MEMORY) -> torch.Tensor:
    return draw_tokens(draw, BATCH, t).ne(0)[:, None, None, :]


def open_at_first(draw: Draw, *shape: int) -> torch.Tensor:
    """A mask whose first piece, along its first axis, allows everything, and no other does."""
    mask = draw_mask(draw, *shape)
    mask[0] = True
    return mask


def ask_layer(agree: Agree, draw: Draw, layer: Blueprint, met: Meeting, *masks: str) -> None:
    """masks: the names of the layer's; there are as many lengths, of the inputs and their keys."""
    batch, *lengths = met[: 1 + len(masks)]
    *axes, blocks, dtype, is_relaid, is_trained, asked = met[1 + len(masks) :]
    t, *_ = lengths

    def drawn() -> dict[Any, Any]:
        found: dict[Any, Any] = {
            at: draw.normal(batch, t_key, D_MODEL, dtype=dtype) for at, t_key in enumerate(lengths)
        }
        for name, t_key, kind in zip(masks, lengths, axes, strict=True):
            full, keys = (batch, N_HEADS, t, t_key), (batch, 1, 1, t_key)
            if kind:
                shape = {"square": (t, t_key), "keys": keys, "full": full}[kind]
                found[name] = mask_that(draw, blocks, *shape)
        return {at: relaid(x) if is_relaid else x for at, x in found.items()}

    given = drawn()
    args = [given.pop(at) for at in range(len(lengths))]
    upstream = draw.normal(batch, t, D_MODEL, dtype=dtype)
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": drawn()}
    ask_there(agree, made_for(layer, dtype, is_trained), *args, **beside, **given)


# norm_parameters


@item(
    "norm_parameters",
    public=True,
    hint="weight and bias: an nn.Parameter of shape (d_model,) each?",
)
@pytest.mark.parametrize("d_model", [D_MODEL, 1])
def test_norm_parameters(agree: Agree, d_model: int) -> None:
    """The norm has the parameters weight and bias, both (d_model,), and no others."""
    agree.parameters(agree.module("LayerNorm", d_model))


@item(
    "norm_parameters",
    public=True,
    hint="What may a new norm do to the numbers, other than norm them?",
)
@pytest.mark.parametrize("name", ["weight", "bias"])
def test_norm_at_the_start(agree: Agree, name: str) -> None:
    """In a new norm every weight is 1 and every bias is 0."""
    agree.parameters(agree.module("LayerNorm", D_MODEL), start=(name,))


# norm_output


@item(
    "norm_output",
    public=True,
    hint="Over which axis do mean and variance run, and what is the variance divided by?",
)
def test_norm(agree: Agree, draw: Draw) -> None:
    """Each position is brought to mean 0 and variance 1, then weight and bias are applied."""
    agree(norm(agree), 3 * draw.normal(BATCH, T, D_MODEL) + 1)


@item("norm_output", public=True, hint="Which numbers share a mean? Count the axes from the end.")
def test_norm_of_one_position(agree: Agree, draw: Draw) -> None:
    """A single vector, without any leading dimension, is normed as well."""
    agree(norm(agree), draw.normal(D_MODEL))


@item("norm_output", hint="Does the norm keep numbers of its own from one batch for the next?")
def test_norm_in_training(agree: Agree, draw: Draw) -> None:
    """In train mode the result is the same."""
    agree(norm(agree).training(), draw.normal(BATCH, T, D_MODEL))


@item("norm_output", hint="Which numbers share a mean? Count the axes from the end.")
@pytest.mark.parametrize("leading", [(3,), (2, 3, 4), (2, 3, 4, 5)], ids=len)
def test_norm_leading(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """Any number of leading dimensions will do: none, one, three, four."""
    agree(norm(agree), draw.normal(*leading, D_MODEL))


@item(
    "norm_output",
    hint="Is d_model read from the constructor, or is it a constant?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("d_model", [2, 7, 64])
def test_norm_follows_d_model(agree: Agree, draw: Draw, d_model: int) -> None:
    """The norm has the size that is asked for."""
    agree(norm(agree, d_model), draw.normal(BATCH, T, d_model))


@item(
    "norm_output", hint="Does a single position, or a single sentence, lose an axis?", fits="shape"
)
@pytest.mark.parametrize("leading", [(1, T), (BATCH, 1), (1, 1), (1,)], ids=str)
def test_norm_single(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """A single sentence, and a single position, are no special case."""
    agree(norm(agree), draw.normal(*leading, D_MODEL))


@item("norm_output", hint="Over the last axis alone: neither the batch nor t has a say.")
def test_norm_position_alone(student: Student, agree: Agree, draw: Draw) -> None:
    """A position comes out the same whatever else is in the tensor."""
    x = draw.normal(BATCH, T, D_MODEL)
    before = agree(norm(agree), x).value
    others = 100 * draw.normal(BATCH, T, D_MODEL)
    others[1, 2] = x[1, 2]
    after = agree(norm(agree), others).value
    if not torch.equal(before[1, 2], after[1, 2]):
        agree.wrong(norm(agree), "the other positions were changed, and so was this one", x)


@item("norm_output", hint="One operation can do it for all positions.")
def test_norm_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions as for few (this costs nothing)."""
    x = draw.normal(BATCH, T, D_MODEL)
    agree.operations(norm(agree), [x], [x.repeat(TIMES, TIMES, 1)], "the number of positions")


# norm_eps


@item(
    "norm_eps",
    public=True,
    hint="When norm_output is right: is eps added to the variance, before the root is taken?",
)
def test_norm_eps(agree: Agree, draw: Draw) -> None:
    """eps is 1e-5 when nothing is said, and is added to the variance, under the root."""
    x = draw.normal(BATCH, T, D_MODEL) * 0.01  # a variance of about 1e-4
    agree(agree.module("LayerNorm", D_MODEL), x)


@item("norm_eps", hint="Is the eps that was passed the one that is used?")
@pytest.mark.parametrize("eps", [1e-12, 1e-3, 0.5])
def test_norm_eps_is_passed(agree: Agree, draw: Draw, eps: float) -> None:
    """Any eps may be passed to the constructor, by its name."""
    agree(agree.module("LayerNorm", D_MODEL, eps=eps), draw.normal(BATCH, T, D_MODEL))


@item("norm_eps", hint="Is there a limit below which eps may not be?")
def test_norm_eps_is_tiny(agree: Agree, draw: Draw) -> None:
    """An eps of 1e-18 is used as it is, with vectors that are as small."""
    tiny = agree.module("LayerNorm", D_MODEL, eps=1e-18)
    agree(tiny, 1e-9 * draw.normal(BATCH, T, D_MODEL))


@item("norm_eps", hint="What is divided by what when all numbers are equal?", fits="infinite")
def test_norm_of_equal_numbers(agree: Agree) -> None:
    """A vector of equal numbers comes out as the bias."""
    rows = torch.tensor([0.0, 1.0, -3.0, 16.0, 7.0], dtype=torch.float64)
    agree(agree.module("LayerNorm", D_MODEL), rows[None, :, None].repeat(BATCH, 1, D_MODEL))


@item("norm_eps", hint="What is left of a single number without its mean?", fits="infinite")
def test_norm_of_one_number(agree: Agree, draw: Draw) -> None:
    """With d_model = 1 nothing is left of the numbers: the result is the bias."""
    agree(agree.module("LayerNorm", 1), draw.normal(BATCH, T, 1))


@item(
    "norm_eps",
    hint="The root of 0 has no finite gradient: is eps added before it is taken?",
    fits="infinite",
)
def test_norm_eps_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients are finite and right for vectors of equal numbers, and close to them."""
    x = draw.normal(BATCH, T, D_MODEL)
    x[0, 1], x[1, 3] = 2.0, 0.0
    x[1, 4] = 1.0 + 1e-3 * x[1, 4]
    agree(agree.module("LayerNorm", D_MODEL, eps=1e-3), x, cotangents=(draw.normal(*x.shape),))


# norm_gradients


@item(
    "norm_gradients",
    public=True,
    hint="Mean and variance depend on x. Is one of them detached?",
    fits="gradient",
)
def test_norm_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x, weight and bias are right."""
    x = draw.normal(BATCH, T, D_MODEL)
    agree(norm(agree), x, cotangents=(draw.normal(*x.shape),))


@item("norm_gradients", hint="Is anything made in float64, or turned into it?", fits="dtype")
def test_norm_float32(agree: Agree, draw: Draw) -> None:
    """A float32 norm gives float32 for float32 inputs."""
    x = draw.normal(BATCH, T, D_MODEL, dtype=torch.float32)
    agree(norm(agree).in_float32(), x)


@item("norm_gradients", hint="Is the mean taken away before anything is squared?")
def test_norm_precision(agree: Agree, draw: Draw) -> None:
    """Numbers around 50000 that differ by about 1 are normed as precisely as can be."""
    agree(norm(agree), draw.normal(BATCH, 3 * T, D_MODEL) / 2 + 50_000)


@item(
    "norm_gradients",
    public=True,
    hint="view needs contiguous memory; most else does not.",
    fits="layout",
)
def test_norm_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory, such as a transposed one, works as well."""
    agree(norm(agree), relaid(draw.normal(BATCH, T, D_MODEL)))


@item("norm_gradients", hint="On which device is a new tensor made?", fits="device")
def test_norm_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x and the parameters."""
    agree(norm(agree), draw.normal(BATCH, T, D_MODEL), elsewhere=True)


@item("norm_gradients", hint="Methods that end in _, and operators such as -=, write in place.")
def test_norm_input_unchanged(agree: Agree, draw: Draw) -> None:
    """The input is left as it is."""
    agree.unchanged(norm(agree), draw.normal(BATCH, T, D_MODEL))


@item("norm_gradients", crowded=True)
@meeting(IN_NORMS)
def test_norm_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Axes, sizes, eps, dtypes, layouts, modes, gradients and calls may meet at will."""
    leading, times, d_model, eps, *_ = met
    made = agree.module("LayerNorm", d_model, eps=eps)
    ask_one(agree, draw, made, (*leading, d_model), met, times)


# feed_forward_output


@item(
    "feed_forward_output",
    public=True,
    hint="linear1 goes from d_model to d_ff, linear2 back.",
    fits=("values", "shape"),
)
def test_feed_forward_parameters(agree: Agree) -> None:
    """The network has the parameters of linear1 and linear2, and no others."""
    agree.parameters(agree.module("FeedForward", D_MODEL, D_FF))


@item("feed_forward_output", public=True, hint="linear1, ReLU, linear2: is one left out?")
def test_feed_forward(agree: Agree, draw: Draw) -> None:
    """The result is linear2 of the ReLU of linear1."""
    agree(feed_forward(agree), draw.normal(BATCH, T, D_MODEL))


@item(
    "feed_forward_output",
    hint="Is d_ff used, and can it be the smaller one?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(D_FF, D_MODEL), (8, 1), (1, 8)], ids=str)
def test_feed_forward_sizes(agree: Agree, draw: Draw, sizes: tuple[int, int]) -> None:
    """d_ff may be larger than d_model, or smaller."""
    agree(feed_forward(agree, *sizes), draw.normal(BATCH, T, sizes[0]))


@item("feed_forward_output", hint="Does a ReLU cut off what is large?")
def test_feed_forward_of_large_numbers(agree: Agree, draw: Draw) -> None:
    """The result is right for large numbers, too."""
    for size in (50, 1e6):
        agree(feed_forward(agree), size * draw.normal(BATCH, T, D_MODEL))


@item("feed_forward_output", public=True, hint="nn.Linear works on the last axis of anything.")
def test_feed_forward_of_one_position(agree: Agree, draw: Draw) -> None:
    """A single vector, without any leading dimension, will do."""
    agree(feed_forward(agree), draw.normal(D_MODEL))


@item("feed_forward_output", hint="nn.Linear works on the last axis of anything.")
@pytest.mark.parametrize("leading", [(3,), (2, 3, 4), (1, 1)], ids=str)
def test_feed_forward_leading(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """Any number of leading dimensions will do."""
    agree(feed_forward(agree), draw.normal(*leading, D_MODEL))


@item("feed_forward_output", hint="Does a position see another one?")
def test_feed_forward_position_alone(student: Student, agree: Agree, draw: Draw) -> None:
    """A position comes out the same whatever stands at the others."""
    x = draw.normal(BATCH, T, D_MODEL)
    before = agree(feed_forward(agree), x).value
    others = draw.normal(BATCH, T, D_MODEL)
    others[1, 2] = x[1, 2]
    after = agree(feed_forward(agree), others).value
    if not torch.equal(before[1, 2], after[1, 2]):
        agree.wrong(feed_forward(agree), "the other positions were changed, and so was this one", x)


@item("feed_forward_output", hint="Is a step done outside of autograd?", fits="gradient")
def test_feed_forward_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x and of all parameters are right."""
    x = draw.normal(BATCH, T, D_MODEL)
    agree(feed_forward(agree), x, cotangents=(draw.normal(*x.shape),))


@item("feed_forward_dropout", hint="Who writes to a result that a gradient is made of later?")
def test_feed_forward_gradient_in_training(student: Student, agree: Agree, draw: Draw) -> None:
    """In train mode, too, gradients flow back to x."""
    network = agree.module("FeedForward", D_MODEL, D_FF, dropout=0.3).training()
    x = draw.normal(BATCH, T, D_MODEL).requires_grad_()
    gradient, *_ = student.call(network, x, cotangents=(torch.ones(()),)).gradients
    if gradient is None:
        agree.wrong(network, "no gradient flows back to x", x)


@item("feed_forward_output", hint="Is a constant made in another dtype than x's?", fits="dtype")
def test_feed_forward_float32(agree: Agree, draw: Draw) -> None:
    """A float32 network gives float32 for float32 inputs."""
    x = draw.normal(BATCH, T, D_MODEL, dtype=torch.float32)
    agree(feed_forward(agree).in_float32(), x)


@item("feed_forward_output", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_feed_forward_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory, such as a transposed one, works as well."""
    agree(feed_forward(agree), relaid(draw.normal(BATCH, T, D_MODEL)))


@item("feed_forward_output", hint="On which device is a new tensor made?", fits="device")
def test_feed_forward_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x and the parameters."""
    agree(feed_forward(agree), draw.normal(BATCH, T, D_MODEL), elsewhere=True)


@item("feed_forward_output", hint="Methods that end in _ write in place.")
def test_feed_forward_input_unchanged(agree: Agree, draw: Draw) -> None:
    """The input is left as it is."""
    agree.unchanged(feed_forward(agree), draw.normal(BATCH, T, D_MODEL))


@item("feed_forward_output", hint="One operation can do it for all positions.")
def test_feed_forward_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions as for few (this costs nothing)."""
    x = draw.normal(BATCH, T, D_MODEL)
    agree.operations(feed_forward(agree), [x], [x.repeat(TIMES, TIMES, 1)], "the positions")


@item("feed_forward_output", hint="If it goes in pieces: who computes what is left over?")
def test_feed_forward_any_number(agree: Agree, draw: Draw) -> None:
    """Any number of positions will do, also one that cannot be divided."""
    agree(feed_forward(agree), draw.normal(1, 13, D_MODEL))


@item("feed_forward_output", crowded=True)
@meeting(IN_NETWORKS)
def test_feed_forward_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Axes, sizes, dtypes, layouts, modes, gradients and calls may meet at will."""
    leading, times, d_model, d_ff, *_ = met
    ask_one(agree, draw, feed_forward(agree, d_model, d_ff), (*leading, d_model), met, times)


# feed_forward_dropout


@item(
    "feed_forward_dropout",
    public=True,
    hint="Is there a dropout after the ReLU, on the d_ff numbers?",
)
def test_feed_forward_drops_everything(agree: Agree, draw: Draw) -> None:
    """With dropout=1.0 in train mode the result is the bias of linear2."""
    network = agree.module("FeedForward", D_MODEL, D_FF, dropout=1.0).training()
    agree(network, draw.normal(BATCH, T, D_MODEL))


def drops_anew(student: Student, agree: Agree, made: Blueprint, *inputs: torch.Tensor) -> None:
    """Two calls in a row differ in what they drop, if they drop anything."""
    still = student.call(made, *inputs).value
    made = made.training()
    first, second = (
        student.call(made, *inputs, **how).value
        for how in ({}, {"before": {0: inputs[0]}, "drawn_on": True})
    )
    if is_same(first, second) and not is_same(first, still):
        agree.wrong(made, "a second call drops the very same numbers as the first", *inputs)


def is_same(one: Any, other: Any) -> bool:
    both = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
    return both and torch.equal(one, other)


def see_through(agree: Agree, size: int, bias: float = 0.0, **dropout: float) -> Blueprint:
    """A network that adds bias to positive numbers, unless something is dropped."""
    same, nothing = torch.eye(size, dtype=torch.float64), torch.zeros(size, dtype=torch.float64)
    weights = {f"linear{i}.weight": same for i in (1, 2)}
    weights |= {"linear1.bias": nothing, "linear2.bias": nothing + bias}
    return agree.module("FeedForward", size, size, **dropout).with_weights(weights)


@item("feed_forward_dropout", hint="Is the probability that of dropping, and is it the one passed?")
@pytest.mark.parametrize("dropout", [{"dropout": 0.25}, {"dropout": 0.7}, {}], ids=str)
def test_feed_forward_drops_some(
    student: Student, agree: Agree, draw: Draw, dropout: dict[str, float]
) -> None:
    """In train mode each number is dropped with the given probability, 0.1 if none is given."""
    rate = dropout.get("dropout", 0.1)
    x = 30 + draw.normal(BATCH, 37, 50).abs()
    network = see_through(agree, 50, **dropout).training()
    got = student.call(network, x).value
    if not isinstance(got, torch.Tensor) or got.shape != x.shape:
        agree.wrong(network, f"expected one tensor of shape {tuple(x.shape)}", x)
    dropped = got == 0
    # Of 3700 numbers: more than six standard deviations away is no chance.
    share = dropped.double().mean().item()
    if abs(share - rate) > 0.05:
        agree.wrong(network, f"expected about {rate:.0%} to be dropped, found {share:.0%}", x)
    kept = (got - x / (1 - rate)).abs() < 1e-9
    if not (dropped | kept).all():
        problem = f"expected what is not dropped to be divided by 1 - {rate}"
        agree.wrong(network, problem, x)
    for axis in (0, 1, 2):
        if (dropped.all(axis) == dropped.any(axis)).all():
            agree.wrong(network, "expected each number to be dropped by itself", x)


@item(
    "feed_forward_dropout",
    public=True,
    hint="Does dropout know whether the module is in train mode?",
)
@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_feed_forward_drops_nothing_in_eval(agree: Agree, draw: Draw, rate: float) -> None:
    """In eval mode nothing is dropped."""
    network = see_through(agree, D_MODEL, bias=7.0, dropout=rate)  # what is left says where
    agree(network, 30 + draw.normal(BATCH, T, D_MODEL).abs())


@item("feed_forward_dropout", hint="On which device is it drawn what is dropped?", fits="device")
def test_feed_forward_drops_elsewhere(agree: Agree, draw: Draw) -> None:
    """In train mode, too, the result is on the device of x and the parameters."""
    network = agree.module("FeedForward", D_MODEL, D_FF, dropout=0.5).training()
    agree(network, draw.normal(BATCH, T, D_MODEL), elsewhere=True, look_at=[])


@item("feed_forward_dropout", hint="Is a generator seeded on the way, or is kept what it drew?")
def test_feed_forward_drops_anew(student: Student, agree: Agree, draw: Draw) -> None:
    """In train mode every call draws anew which numbers it drops."""
    drops_anew(student, agree, see_through(agree, 50, dropout=0.3), draw.normal(BATCH, T, 50))


@item("feed_forward_dropout", hint="Is the probability that is passed the one that is used?")
def test_feed_forward_drops_nothing_at_0(student: Student, agree: Agree, draw: Draw) -> None:
    """With dropout=0.0 nothing is dropped in train mode either."""
    x = 30 + draw.normal(BATCH, T, D_MODEL).abs()
    network = see_through(agree, D_MODEL, dropout=0.0).training()
    got = student.call(network, x).value
    if not isinstance(got, torch.Tensor) or got.shape != x.shape or (got == 0).any():
        agree.wrong(network, "something is dropped though dropout is 0", x)


# encoder_output


@item(
    "encoder_output", public=True, hint="self_attn, feed_forward, norm1, norm2: has each its own?"
)
def test_encoder_parameters(agree: Agree) -> None:
    """The layer has the parameters of its four parts, and no others."""
    agree.parameters(agree.module("EncoderLayer", *SIZES))


@item("encoder_output", public=True, hint="norm(x + sublayer(x)): what is added, what is normed?")
def test_encoder(agree: Agree, draw: Draw) -> None:
    """Self-attention and the feed-forward network are each added to the stream, then normed."""
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL))


@item(
    "encoder_output",
    hint="Are d_model, n_heads and d_ff passed on in their order?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(8, 1, 6), (8, 8, 16), (10, 5, 4), (6, 2, 1)], ids=str)
def test_encoder_sizes(agree: Agree, draw: Draw, sizes: tuple[int, ...]) -> None:
    """Any d_model, n_heads and d_ff will do, as long as n_heads divides d_model."""
    agree(encoder_layer(agree, *sizes), draw.normal(BATCH, T, sizes[0]))


@item("encoder_output", hint="Does anything squeeze an axis of size 1 away?", fits="shape")
@pytest.mark.parametrize("leading", [(1, T), (BATCH, 1), (1, 1), (4, 9)], ids=str)
def test_encoder_lengths(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """Any batch and any length will do, 1 among them."""
    agree(encoder_layer(agree), draw.normal(*leading, D_MODEL))


@item("encoder_output", hint="Does a sentence see its neighbour in the batch?")
def test_encoder_sentence_alone(student: Student, agree: Agree, draw: Draw) -> None:
    """A sentence comes out the same whatever the others of the batch are."""
    x = draw.normal(BATCH, T, D_MODEL)
    layer = encoder_layer(agree)
    before = agree(layer, x).value
    x[0] = draw.normal(T, D_MODEL)
    after = agree(layer, x).value
    if not torch.equal(before[1], after[1]):
        agree.wrong(layer, "sentence 0 was changed, and so was the result for sentence 1", x)


@item("encoder_output", hint="One operation can do it for all positions.")
def test_encoder_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions as for few (this costs nothing)."""
    x = draw.normal(BATCH, T, D_MODEL)
    agree.operations(encoder_layer(agree), [x], [x.repeat(TIMES, TIMES, 1)], "the positions")


# encoder_mask


@item("encoder_mask", public=True, hint="Does the mask reach the attention, as it came?")
def test_encoder_mask(agree: Agree, draw: Draw) -> None:
    """A mask (t, t) holds in self-attention."""
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), mask=draw_mask(draw, T, T))


@item("encoder_mask", hint="The attention broadcasts the mask: is it reshaped before?")
@pytest.mark.parametrize(
    "shape",
    [(BATCH, 1, 1, T), (BATCH, 1, T, T), (BATCH, N_HEADS, T, T), (N_HEADS, 1, T), (T,)],
    ids=str,
)
def test_encoder_mask_broadcasts(agree: Agree, draw: Draw, shape: tuple[int, ...]) -> None:
    """Any mask that broadcasts to (batch, n_heads, t, t) will do."""
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), mask=draw_mask(draw, *shape))


@item("encoder_mask", hint="The attention broadcasts the mask: is it reshaped before?")
def test_encoder_mask_of_another_size(agree: Agree, draw: Draw) -> None:
    """The mask holds in layers of another size, too."""
    agree(encoder_layer(agree, *OTHER), draw.normal(BATCH, T, OTHER[0]), mask=draw_mask(draw, T, T))


@item("encoder_mask", hint="Whose mask is it: that of this call, or that of one before it?")
def test_encoder_mask_of_each_call(agree: Agree, draw: Draw) -> None:
    """Each call has a mask of its own, or none, where the one before it had one of its shape."""
    x, mask, other = draw.normal(BATCH, T, D_MODEL), draw_mask(draw, T, T), draw_mask(draw, T, T)
    for now in (mask, None):
        agree(encoder_layer(agree), x, mask=now, before={"mask": other})


@item("encoder_mask", hint="What a mask is must not hang on how many sentences there are.")
def test_encoder_mask_of_as_many_words_as_sentences(agree: Agree, draw: Draw) -> None:
    """A mask (t, t) is one of queries and keys, also with as many sentences as words."""
    agree(encoder_layer(agree), draw.normal(T, T, D_MODEL), mask=causal())


@item("encoder_mask", hint="What a mask is must not hang on how many sentences there are.")
def test_encoder_mask_of_as_many_heads_as_sentences(agree: Agree, draw: Draw) -> None:
    """The first of three axes is that of the heads, also with as many sentences as heads."""
    x, mask = draw.normal(N_HEADS, T, D_MODEL), draw_mask(draw, N_HEADS, T, T)
    agree(encoder_layer(agree), x, mask=mask)


@item("encoder_mask", hint="Who sees to a position that may hear nothing: layer or attention?")
@pytest.mark.parametrize("silent", [slice(2, 3), slice(T)], ids=["one", "all"])
def test_encoder_mask_that_blocks_rows(agree: Agree, draw: Draw, silent: slice) -> None:
    """A position that may attend to nothing hears nothing, and not everything."""
    mask = draw_mask(draw, T, T)
    mask[silent] = False
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), mask=mask)


@item("encoder_mask", hint="The mask is the second argument of forward.")
def test_encoder_mask_by_position(agree: Agree, draw: Draw) -> None:
    """The mask may be passed by position."""
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), causal())


@item("encoder_mask", hint="Is a mask that blocks nothing the same as no mask?")
def test_encoder_mask_that_allows_all(agree: Agree, draw: Draw) -> None:
    """A mask that allows everything changes nothing."""
    mask = torch.ones(T, T, dtype=torch.bool)
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), mask=mask)


@item("encoder_mask", hint="What a mask hides is looked for where: in all of it?")
@pytest.mark.parametrize("shape", [(BATCH, 1, 1, T), (T, T)], ids=str)
def test_encoder_mask_that_allows_all_at_first(
    agree: Agree, draw: Draw, shape: tuple[int, ...]
) -> None:
    """A mask holds, too, where it hides nothing of the first sentence, or from the first query."""
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), mask=open_at_first(draw, *shape))


@item("encoder_mask", hint="What does a position see of a padded one?")
def test_encoder_padding_is_not_seen(student: Student, agree: Agree, draw: Draw) -> None:
    """What stands at padded positions changes nothing at the others."""
    layer, mask = encoder_layer(agree), padding(draw, T)
    x = draw.normal(BATCH, T, D_MODEL)
    before = agree(layer, x, mask=mask).value
    real = mask[:, 0, 0]
    x = torch.where(real[..., None], x, 10 * draw.normal(BATCH, T, D_MODEL))
    after = agree(layer, x, mask=mask).value
    if not torch.equal(before[real], after[real]):
        agree.wrong(layer, "padded positions were changed, and so was the result", x, mask=mask)


@item("encoder_mask", hint="Can a position see the next one on some way?")
def test_encoder_causality(student: Student, agree: Agree, draw: Draw) -> None:
    """With a causal mask, later positions change nothing at earlier ones, but earlier ones do."""
    causality(agree, encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), mask=causal())


def causality(
    agree: Agree, layer: Blueprint, x: torch.Tensor, *memory: torch.Tensor, **masks: Any
) -> None:
    """A position depends on itself and on those before it, and on no other."""
    before = agree(layer, x, *memory, **masks).value
    for j in range(T):
        changed = x.clone()
        changed[:, j] = -changed[:, j].flip(-1)
        different = (agree(layer, changed, *memory, **masks).value != before).any(-1)
        if different[:, :j].any():
            problem = f"position {j} was changed, and an earlier one of the result with it"
            agree.wrong(layer, problem, x, *memory, **masks)
        if not different[:, j:].all():
            problem = f"position {j} was changed, and a later one of the result does not know it"
            agree.wrong(layer, problem, x, *memory, **masks)


@item("encoder_mask", hint="Methods that end in _ write in place.")
def test_encoder_mask_unchanged(student: Student, agree: Agree, draw: Draw) -> None:
    """The mask is left as it is."""
    layer, x, mask = encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), draw_mask(draw, T, T)
    if 1 in student.call(layer, x, mask=mask).changed:
        agree.wrong(layer, "it changes its input mask", x, mask=mask)


# encoder_dropout


@item("encoder_dropout", public=True, hint="Is each sublayer dropped, and the stream kept?")
def test_encoder_drops_everything(agree: Agree, draw: Draw) -> None:
    """With dropout=1.0 in train mode the result is norm2(norm1(x))."""
    layer = agree.module("EncoderLayer", *SIZES, dropout=1.0).training()
    agree(layer, draw.normal(BATCH, T, D_MODEL))


@item("encoder_dropout", hint="Is there a way through the layer without a dropout?", crowded=True)
def test_encoder_drops_everything_under_a_mask(agree: Agree, draw: Draw) -> None:
    """With dropout=1.0 in train mode a mask changes nothing."""
    layer = agree.module("EncoderLayer", *SIZES, dropout=1.0).training()
    agree(layer, draw.normal(BATCH, T, D_MODEL), mask=causal())


@item("encoder_dropout", hint="Is the probability that is passed the one that is used?")
def test_encoder_drops_nothing_at_0(agree: Agree, draw: Draw) -> None:
    """With dropout=0.0 train mode is no different from eval mode."""
    agree(encoder_layer(agree).training(), draw.normal(BATCH, T, D_MODEL))


@item(
    "encoder_dropout",
    public=True,
    hint="Does each dropout know whether the layer is in train mode?",
)
@pytest.mark.parametrize("dropout", [{"dropout": 0.9}, {"dropout": 1.0}, {}], ids=str)
def test_encoder_drops_nothing_in_eval(agree: Agree, draw: Draw, dropout: dict[str, float]) -> None:
    """In eval mode nothing is dropped."""
    layer = agree.module("EncoderLayer", *SIZES, **dropout)
    agree(layer, draw.normal(BATCH, T, D_MODEL))


@item(
    "encoder_dropout",
    public=True,
    hint="Does feed_forward get the dropout that the layer was given?",
)
@pytest.mark.parametrize("dropout", [0.0, 1.0])
def test_encoder_passes_dropout_on(agree: Agree, draw: Draw, dropout: float) -> None:
    """Its feed_forward, asked by itself in train mode, drops with the same probability."""
    layer = agree.module("EncoderLayer", *SIZES, dropout=dropout).training()
    agree(layer.of("feed_forward"), draw.normal(BATCH, T, D_MODEL))


@item("encoder_dropout", hint="Is the layer random in train mode, in each of its sublayers?")
@pytest.mark.parametrize("silent", ["self_attn.out_proj", "feed_forward.linear2"])
def test_encoder_drops_some(student: Student, agree: Agree, draw: Draw, silent: str) -> None:
    """With a dropout in between, what each sublayer says is dropped in part."""
    drops_some(student, agree, agree.module("EncoderLayer", *SIZES, dropout=0.5), silent, draw)


@item("encoder_dropout", hint="Is a generator seeded on the way, or is kept what it drew?")
def test_encoder_drops_anew(student: Student, agree: Agree, draw: Draw) -> None:
    """In train mode every call draws anew which numbers it drops."""
    layer = agree.module("EncoderLayer", *WIDE, dropout=0.3)
    drops_anew(student, agree, layer, draw.normal(BATCH, T, WIDE[0]))


def drops_some(
    student: Student, agree: Agree, layer: Blueprint, silent: str, draw: Draw, *more: torch.Tensor
) -> None:
    """Every sublayer says nothing, except one, which says the same at each position.

    So all positions of equal vectors come out equal, unless dropout makes them different.
    """
    assert layer.weights is not None
    parts = [name for name in layer.weights if name.split(".")[-2] in ("out_proj", "linear2")]
    weights = {name: torch.zeros_like(layer.weights[name]) for name in parts}
    weights[f"{silent}.bias"] = 3 * draw.normal(D_MODEL)
    layer = layer.with_weights(weights).training()
    x = draw.normal(D_MODEL).expand(BATCH, T, D_MODEL).contiguous()
    got = student.call(layer, x, *more).value
    if not isinstance(got, torch.Tensor) or got.shape != x.shape:
        agree.wrong(layer, f"expected one tensor of shape {tuple(x.shape)}", x, *more)
    rows, part = got.flatten(0, 1), silent.partition(".")[0]
    if torch.allclose(rows, rows[0].expand_as(rows)):
        agree.wrong(layer, f"what {part} says is dropped nowhere, or everywhere alike", x, *more)
    for one, where in (got[:1], "in all sentences"), (got[:, :1], "at all positions"):
        if torch.allclose(got, one.expand_as(got)):
            agree.wrong(layer, f"the same of what {part} says is dropped {where}", x, *more)


@item("encoder_dropout", hint="Which dropout has the layer when nobody says it?")
def test_encoder_default_dropout(student: Student, agree: Agree, draw: Draw) -> None:
    """When dropout is not given, a tenth of what feed_forward says is dropped in train mode."""
    layer = agree.module("EncoderLayer", *WIDE)
    drops_at_a_rate(student, agree, layer, "feed_forward.linear2", 0.1)


@item("encoder_dropout", hint="How often is what a sublayer says dropped?")
@pytest.mark.parametrize("part", ["self_attn.out_proj", "feed_forward.linear2"])
def test_encoder_dropout_rate(student: Student, agree: Agree, part: str) -> None:
    """What each sublayer says is dropped once, with the probability that is given."""
    layer = agree.module("EncoderLayer", *WIDE, dropout=0.3)
    drops_at_a_rate(student, agree, layer, part, 0.3)


def drops_at_a_rate(
    student: Student,
    agree: Agree,
    layer: Blueprint,
    part: str,
    rate: float,
    *more: torch.Tensor,
) -> None:
    """The stream is 0, and one part alone says 1: norms put what of it is dropped below 0."""
    ones = f"{part}.bias", *(f"norm{number}.weight" for number in (1, 2, 3))
    weights = {
        name: torch.full_like(each, float(name in ones))
        for name, each in (layer.weights or {}).items()
    }
    layer, x = layer.with_weights(weights).training(), torch.zeros(BATCH, 37, WIDE[0]).double()
    got = student.call(layer, x, *more).value
    if not isinstance(got, torch.Tensor) or got.shape != x.shape:
        agree.wrong(layer, f"expected one tensor of shape {tuple(x.shape)}", x, *more)
    # Of 3700 numbers: more than six standard deviations away is no chance.
    share = (got < 0).double().mean().item()
    if abs(share - rate) > 0.05:
        said = f"of what {part.partition('.')[0]} says, expected about {rate:.0%} to be dropped"
        agree.wrong(layer, f"{said}, found {share:.0%}", x, *more)


# encoder_gradients


@item(
    "encoder_gradients",
    public=True,
    hint="Through which step does no gradient flow?",
    fits="gradient",
)
def test_encoder_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x and of every parameter are right."""
    d_model, *_ = SMALL
    x = draw.normal(BATCH, T, d_model)
    agree(encoder_layer(agree, *SMALL), x, cotangents=(draw.normal(*x.shape),))


@item("encoder_gradients", hint="Is anything made in float64, or turned into it?", fits="dtype")
def test_encoder_float32(agree: Agree, draw: Draw) -> None:
    """A float32 layer gives float32 for float32 inputs."""
    x = draw.normal(BATCH, T, D_MODEL, dtype=torch.float32)
    agree(encoder_layer(agree).in_float32(), x)


@item("encoder_gradients", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_encoder_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory works as well."""
    agree(encoder_layer(agree), relaid(draw.normal(BATCH, T, D_MODEL)))


@item("encoder_gradients", hint="On which device is a new tensor made?", fits="device")
def test_encoder_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of x and the parameters."""
    agree(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL), elsewhere=True)


@item(
    "encoder_gradients", hint="x += ... writes to the tensor that was passed; x = x + ... does not."
)
def test_encoder_input_unchanged(agree: Agree, draw: Draw) -> None:
    """The input is left as it is."""
    agree.unchanged(encoder_layer(agree), draw.normal(BATCH, T, D_MODEL))


@item("encoder_gradients", crowded=True)
@meeting(IN_ENCODERS)
def test_encoder_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, masks, dtypes, layouts, modes, gradients and calls may meet at will."""
    ask_layer(agree, draw, encoder_layer(agree), met, "mask")


# decoder_output


@item(
    "decoder_output", public=True, hint="Two attentions, a network, three norms: is each its own?"
)
def test_decoder_parameters(agree: Agree) -> None:
    """The layer has the parameters of its six parts, and no others."""
    agree.parameters(agree.module("DecoderLayer", *SIZES))


@item("decoder_output", public=True, hint="Queries from the stream, keys and values from memory?")
def test_decoder(agree: Agree, draw: Draw) -> None:
    """Self-attention, cross-attention, feed-forward: each is added to the stream, then normed."""
    agree(decoder_layer(agree), *target_and_memory(draw))


@item(
    "decoder_output",
    hint="What in the layer needs both sentences to be equally long?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(
    "lengths", [(7, 5), (6, 6), (1, 4), (4, 1), (1, 1)], ids=lambda x: f"{x[0]}_{x[1]}"
)
def test_decoder_lengths(agree: Agree, draw: Draw, lengths: tuple[int, int]) -> None:
    """Either sentence may be the longer one, and a single position will do."""
    agree(decoder_layer(agree), *target_and_memory(draw, *lengths))


@item("decoder_output", hint="Is something still there from the call before?")
def test_decoder_hears_another_memory(agree: Agree, draw: Draw) -> None:
    """Another memory of the same shape is heard in the next call."""
    (x, memory), (_, other) = target_and_memory(draw), target_and_memory(draw)
    agree(decoder_layer(agree), x, memory, before={1: other})


@item("decoder_output", hint="Does anything squeeze an axis of size 1 away?", fits="shape")
@pytest.mark.parametrize("batch", [1, 4])
def test_decoder_batch(agree: Agree, draw: Draw, batch: int) -> None:
    """Any batch will do, 1 among them."""
    agree(decoder_layer(agree), *target_and_memory(draw, batch=batch))


@item(
    "decoder_output",
    hint="Are d_model, n_heads and d_ff passed on in their order?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("sizes", [(8, 1, 6), (8, 8, 16), (10, 5, 4), (6, 2, 1)], ids=str)
def test_decoder_sizes(agree: Agree, draw: Draw, sizes: tuple[int, ...]) -> None:
    """Any d_model, n_heads and d_ff will do, as long as n_heads divides d_model."""
    x, memory = draw.normal(BATCH, T, sizes[0]), draw.normal(BATCH, T_MEMORY, sizes[0])
    agree(decoder_layer(agree, *sizes), x, memory)


@item("decoder_output", hint="What does cross-attention read?")
def test_decoder_memory(student: Student, agree: Agree, draw: Draw) -> None:
    """Shuffling the positions of memory changes nothing; another memory changes everything."""
    layer = decoder_layer(agree)
    x, memory = target_and_memory(draw)
    before = agree(layer, x, memory).value
    shuffled = agree(layer, x, memory.flip(1)).value
    if not torch.allclose(before, shuffled, rtol=1e-9, atol=1e-9):
        agree.wrong(layer, "the positions of memory were shuffled: that changes it", x, memory)
    memory[1] = draw.normal(T_MEMORY, D_MODEL)
    different = (agree(layer, x, memory).value != before).any(-1)
    if different[0].any() or not different[1].all():
        problem = "sentence 1 has another memory: expected all its positions to change, no others"
        agree.wrong(layer, problem, x, memory)


@item("decoder_output", hint="One operation can do it for all positions.")
def test_decoder_operations(agree: Agree, draw: Draw) -> None:
    """It calls torch as often for many positions as for few (this costs nothing)."""
    few = target_and_memory(draw)
    many = [each.repeat(TIMES, TIMES, 1) for each in few]
    agree.operations(decoder_layer(agree), few, many, "the positions")


# decoder_masks


@item("decoder_masks", public=True, hint="Does each mask reach its own attention?")
def test_decoder_masks(agree: Agree, draw: Draw) -> None:
    """The target mask holds in self-attention, the memory mask in cross-attention."""
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": padding(draw)}
    agree(decoder_layer(agree), *target_and_memory(draw), **masks)


@item("decoder_masks", hint="To which of the two attentions does the target mask belong?")
@pytest.mark.parametrize(
    "shape",
    [(T, T), (BATCH, 1, T, T), (BATCH, 1, 1, T), (BATCH, N_HEADS, T, T), (N_HEADS, T, T)],
    ids=str,
)
def test_decoder_target_mask(agree: Agree, draw: Draw, shape: tuple[int, ...]) -> None:
    """The target mask alone holds in self-attention, whatever its shape broadcasts from."""
    agree(decoder_layer(agree), *target_and_memory(draw), target_mask=draw_mask(draw, *shape))


@item("decoder_masks", hint="To which of the two attentions does the memory mask belong?")
@pytest.mark.parametrize(
    "shape",
    [
        *((BATCH, 1, 1, T_MEMORY), (T, T_MEMORY), (BATCH, N_HEADS, T, T_MEMORY), (T_MEMORY,)),
        (N_HEADS, 1, T_MEMORY),
    ],
    ids=str,
)
def test_decoder_memory_mask(agree: Agree, draw: Draw, shape: tuple[int, ...]) -> None:
    """The memory mask alone holds in cross-attention, whatever its shape broadcasts from."""
    agree(decoder_layer(agree), *target_and_memory(draw), memory_mask=draw_mask(draw, *shape))


@item("decoder_masks", hint="Whose mask is it: that of this call, or that of one before it?")
@pytest.mark.parametrize(("name", "t_key"), [("target_mask", T), ("memory_mask", T_MEMORY)])
def test_decoder_masks_of_each_call(agree: Agree, draw: Draw, name: str, t_key: int) -> None:
    """Each call has masks of its own, or none, where the one before it had some of their shape."""
    layer, asked, mask = decoder_layer(agree), target_and_memory(draw), draw_mask(draw, T, t_key)
    for now in (draw_mask(draw, T, t_key), None):
        masks: dict[str, Any] = {name: now}
        agree(layer, *asked, **masks, before={name: mask})


@item("decoder_masks", hint="What a mask is must not hang on how many sentences there are.")
def test_decoder_masks_of_a_single_sentence(agree: Agree, draw: Draw) -> None:
    """Masks of two axes are of queries and keys, also with a single sentence."""
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": draw_mask(draw, T, T_MEMORY)}
    agree(decoder_layer(agree), *target_and_memory(draw, batch=1), **masks)


@item("decoder_masks", hint="Who sees to a position that may hear nothing: layer or attention?")
@pytest.mark.parametrize("silent", [slice(2, 3), slice(T)], ids=["one", "all"])
@pytest.mark.parametrize(("name", "t_key"), [("target_mask", T), ("memory_mask", T_MEMORY)])
def test_decoder_masks_that_block_rows(
    agree: Agree, draw: Draw, name: str, t_key: int, silent: slice
) -> None:
    """A position that may attend to nothing hears nothing, in either attention."""
    masks: dict[str, Any] = {name: draw_mask(draw, T, t_key)}
    masks[name][silent] = False
    agree(decoder_layer(agree), *target_and_memory(draw), **masks)


@item("decoder_masks", hint="The attention broadcasts the mask: is it looked at before?")
def test_decoder_target_mask_of_one_column(agree: Agree, draw: Draw) -> None:
    """A target mask (t, 1) says of each position whether it may attend to anything."""
    some = torch.arange(T)[:, None] != 2
    agree(decoder_layer(agree), *target_and_memory(draw), target_mask=some)


@item("decoder_masks", hint="Does the target mask say nothing when there is a single position?")
def test_decoder_mask_of_a_single_position(agree: Agree, draw: Draw) -> None:
    """A single position may attend to itself, unless the target mask says otherwise."""
    nobody = torch.zeros(1, 1, dtype=torch.bool)
    agree(decoder_layer(agree), *target_and_memory(draw, 1), target_mask=nobody)


@item("decoder_masks", hint="What a mask is must not hang on how many sentences there are.")
def test_decoder_masks_of_as_many_words_as_sentences(agree: Agree, draw: Draw) -> None:
    """Masks of two axes are of queries and keys, also with as many sentences as words."""
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": draw_mask(draw, T, T_MEMORY)}
    agree(decoder_layer(agree), *target_and_memory(draw, batch=T), **masks)


@item("decoder_masks", hint="What a mask is must not hang on how many sentences there are.")
def test_decoder_masks_of_as_many_heads_as_sentences(agree: Agree, draw: Draw) -> None:
    """The first of three axes is that of the heads, also with as many sentences as heads."""
    sentences = target_and_memory(draw, batch=N_HEADS)
    agree(decoder_layer(agree), *sentences, target_mask=draw_mask(draw, N_HEADS, T, T))
    agree(decoder_layer(agree), *sentences, memory_mask=draw_mask(draw, N_HEADS, T, T_MEMORY))


@item("decoder_masks", hint="Does each mask reach its own attention?")
def test_decoder_masks_of_another_size(agree: Agree, draw: Draw) -> None:
    """The masks hold in layers of another size, too."""
    x, memory = draw.normal(BATCH, T, OTHER[0]), draw.normal(BATCH, T_MEMORY, OTHER[0])
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": padding(draw)}
    agree(decoder_layer(agree, *OTHER), x, memory, **masks)


@item("decoder_masks", hint="Are the two masks exchanged when both have one shape?")
def test_decoder_masks_of_one_shape(agree: Agree, draw: Draw) -> None:
    """The masks are told apart when both sentences are equally long, and by their position."""
    x, memory = target_and_memory(draw, T, T)
    agree(decoder_layer(agree), x, memory, causal(), draw_mask(draw, T, T))


@item("decoder_masks", hint="Which attention is without a mask when only one mask is passed?")
@pytest.mark.parametrize("which", ["target_mask", "memory_mask"])
def test_decoder_one_mask_of_equal_lengths(agree: Agree, draw: Draw, which: str) -> None:
    """Each mask holds in its own attention alone when both sentences are equally long."""
    mask: dict[str, Any] = {which: draw_mask(draw, T, T)}
    agree(decoder_layer(agree), *target_and_memory(draw, T, T), **mask)


@item("decoder_masks", hint="Is a mask that blocks nothing the same as no mask?")
def test_decoder_masks_that_allow_all(agree: Agree, draw: Draw) -> None:
    """Masks that allow everything change nothing."""
    everything = torch.ones(T, T_MEMORY, dtype=torch.bool)
    masks: dict[str, Any] = {"target_mask": everything[:, :T], "memory_mask": everything}
    agree(decoder_layer(agree), *target_and_memory(draw), **masks)


@item("decoder_masks", hint="What a mask hides is looked for where: in all of it?")
@pytest.mark.parametrize("which", ["target_mask", "memory_mask"])
def test_decoder_mask_that_allows_all_at_first(agree: Agree, draw: Draw, which: str) -> None:
    """A mask holds, too, where it hides nothing of the first sentence."""
    t = T if which == "target_mask" else T_MEMORY
    mask: dict[str, Any] = {which: open_at_first(draw, BATCH, 1, 1, t)}
    agree(decoder_layer(agree), *target_and_memory(draw), **mask)


@item("decoder_masks", hint="Can a position see the next one, or does it not even see the last?")
def test_decoder_causality(student: Student, agree: Agree, draw: Draw) -> None:
    """With a causal target mask, a position depends on itself and on those before it alone."""
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": padding(draw)}
    causality(agree, decoder_layer(agree), *target_and_memory(draw), **masks)


@item("decoder_masks", hint="What does cross-attention see of a blocked position of memory?")
def test_decoder_blocked_memory_is_not_seen(student: Student, agree: Agree, draw: Draw) -> None:
    """A blocked position of memory changes nothing, one that is allowed does."""
    layer, mask = decoder_layer(agree), padding(draw)
    x, memory = target_and_memory(draw)
    before = agree(layer, x, memory, memory_mask=mask).value
    real = mask[:, 0, 0, :, None]
    for allowed in (False, True):
        changed = torch.where(real == allowed, draw.normal(*memory.shape), memory)
        after = agree(layer, x, changed, memory_mask=mask).value
        if allowed and not (before != after).any(-1).all():
            problem = "the allowed positions of memory were changed, and the result was not"
            agree.wrong(layer, problem, x, memory, memory_mask=mask)
        if not allowed and not torch.equal(before, after):
            problem = "blocked positions of memory were changed, and so was the result"
            agree.wrong(layer, problem, x, memory, memory_mask=mask)


@item("decoder_masks", hint="Methods that end in _ write in place.")
def test_decoder_masks_unchanged(student: Student, agree: Agree, draw: Draw) -> None:
    """Both masks are left as they are."""
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": padding(draw)}
    layer, inputs = decoder_layer(agree), target_and_memory(draw)
    changed = student.call(layer, *inputs, **masks).changed
    for place, name in enumerate(masks, start=len(inputs)):
        if place in changed:
            agree.wrong(layer, f"it changes its input {name}", *inputs, **masks)


# decoder_dropout


@item("decoder_dropout", public=True, hint="Is each sublayer dropped, and the stream kept?")
def test_decoder_drops_everything(agree: Agree, draw: Draw) -> None:
    """With dropout=1.0 in train mode the result is norm3(norm2(norm1(x)))."""
    layer = agree.module("DecoderLayer", *SIZES, dropout=1.0).training()
    agree(layer, *target_and_memory(draw))


@item("decoder_dropout", hint="Is there a way through the layer without a dropout?", crowded=True)
def test_decoder_drops_everything_under_masks(agree: Agree, draw: Draw) -> None:
    """With dropout=1.0 in train mode masks change nothing."""
    layer = agree.module("DecoderLayer", *SIZES, dropout=1.0).training()
    masks: dict[str, Any] = {"target_mask": causal(), "memory_mask": padding(draw)}
    agree(layer, *target_and_memory(draw), **masks)


@item("decoder_dropout", hint="Is the probability that is passed the one that is used?")
def test_decoder_drops_nothing_at_0(agree: Agree, draw: Draw) -> None:
    """With dropout=0.0 train mode is no different from eval mode."""
    agree(decoder_layer(agree).training(), *target_and_memory(draw))


@item(
    "decoder_dropout",
    public=True,
    hint="Does each dropout know whether the layer is in train mode?",
)
@pytest.mark.parametrize("dropout", [{"dropout": 0.9}, {"dropout": 1.0}, {}], ids=str)
def test_decoder_drops_nothing_in_eval(agree: Agree, draw: Draw, dropout: dict[str, float]) -> None:
    """In eval mode nothing is dropped."""
    agree(agree.module("DecoderLayer", *SIZES, **dropout), *target_and_memory(draw))


@item(
    "decoder_dropout",
    public=True,
    hint="Does feed_forward get the dropout that the layer was given?",
)
@pytest.mark.parametrize("dropout", [0.0, 1.0])
def test_decoder_passes_dropout_on(agree: Agree, draw: Draw, dropout: float) -> None:
    """Its feed_forward, asked by itself in train mode, drops with the same probability."""
    layer = agree.module("DecoderLayer", *SIZES, dropout=dropout).training()
    agree(layer.of("feed_forward"), draw.normal(BATCH, T, D_MODEL))


@item("decoder_dropout", hint="Is the layer random in train mode, in each of its sublayers?")
@pytest.mark.parametrize(
    "silent", ["self_attn.out_proj", "cross_attn.out_proj", "feed_forward.linear2"]
)
def test_decoder_drops_some(student: Student, agree: Agree, draw: Draw, silent: str) -> None:
    """With a dropout in between, what each sublayer says is dropped in part."""
    layer = agree.module("DecoderLayer", *SIZES, dropout=0.5)
    drops_some(student, agree, layer, silent, draw, draw.normal(BATCH, T_MEMORY, D_MODEL))


@item("decoder_dropout", hint="Is a generator seeded on the way, or is kept what it drew?")
def test_decoder_drops_anew(student: Student, agree: Agree, draw: Draw) -> None:
    """In train mode every call draws anew which numbers it drops."""
    layer = agree.module("DecoderLayer", *WIDE, dropout=0.3)
    drops_anew(student, agree, layer, *(draw.normal(BATCH, t, WIDE[0]) for t in (T, T_MEMORY)))


@item("decoder_dropout", hint="Which dropout has the layer when nobody says it?")
def test_decoder_default_dropout(student: Student, agree: Agree, draw: Draw) -> None:
    """When dropout is not given, a tenth of what feed_forward says is dropped in train mode."""
    layer, memory = agree.module("DecoderLayer", *WIDE), draw.normal(BATCH, T_MEMORY, WIDE[0])
    drops_at_a_rate(student, agree, layer, "feed_forward.linear2", 0.1, memory)


@item("decoder_dropout", hint="How often is what a sublayer says dropped?")
@pytest.mark.parametrize(
    "part", ["self_attn.out_proj", "cross_attn.out_proj", "feed_forward.linear2"]
)
def test_decoder_dropout_rate(student: Student, agree: Agree, draw: Draw, part: str) -> None:
    """What each sublayer says is dropped once, with the probability that is given."""
    layer = agree.module("DecoderLayer", *WIDE, dropout=0.3)
    drops_at_a_rate(student, agree, layer, part, 0.3, draw.normal(BATCH, T_MEMORY, WIDE[0]))


# decoder_gradients


@item(
    "decoder_gradients",
    public=True,
    hint="Through which step does no gradient flow?",
    fits="gradient",
)
def test_decoder_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x, of memory and of every parameter are right."""
    d_model, *_ = SMALL
    x, memory = draw.normal(BATCH, T, d_model), draw.normal(BATCH, T_MEMORY, d_model)
    agree(decoder_layer(agree, *SMALL), x, memory, cotangents=(draw.normal(*x.shape),))


@item("decoder_gradients", hint="Is anything made in float64, or turned into it?", fits="dtype")
def test_decoder_float32(agree: Agree, draw: Draw) -> None:
    """A float32 layer gives float32 for float32 inputs."""
    x, memory = (each.float() for each in target_and_memory(draw))
    agree(decoder_layer(agree).in_float32(), x, memory)


@item("decoder_gradients", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_decoder_non_contiguous(agree: Agree, draw: Draw) -> None:
    """Inputs that are not contiguous in memory work as well."""
    agree(decoder_layer(agree), *map(relaid, target_and_memory(draw)))


@item("decoder_gradients", hint="On which device is a new tensor made?", fits="device")
def test_decoder_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of the inputs and the parameters."""
    agree(decoder_layer(agree), *target_and_memory(draw), elsewhere=True)


@item(
    "decoder_gradients", hint="x += ... writes to the tensor that was passed; x = x + ... does not."
)
def test_decoder_inputs_unchanged(agree: Agree, draw: Draw) -> None:
    """The inputs are left as they are."""
    agree.unchanged(decoder_layer(agree), *target_and_memory(draw))


@item("decoder_gradients", crowded=True)
@meeting(IN_DECODERS)
def test_decoder_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, masks, dtypes, layouts, modes, gradients and calls may meet at will."""
    ask_layer(agree, draw, decoder_layer(agree), met, "target_mask", "memory_mask")
