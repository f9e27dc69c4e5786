"""Checks of a1_attention. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct, so that no swapped axis can pass, but where sentences attend to
themselves: code that works there alone is asked for all else there. Masks leave every query a key
to attend to, except where the check is about those that have none.
"""

import math
from typing import Any

import pytest
import torch

from autograder.checking import Agree, Draw, Student

from ..inputs import draw_mask, draw_tokens, mask_that
from ..meetings import Meeting, ask_there, meeting, relaid

BATCH, N_HEADS, T_Q, T_K, D_K, D_V = 2, 3, 5, 7, 4, 6
ATTENTION = "scaled_dot_product_attention"
OUTPUTS = ("output", "weights")
HUGE = 1e4
LOW = -800.0  # the exponential of which float64 takes for 0
# Leading axes, queries, keys, the mask's axes, what it blocks, dtype; if relaid; what is asked.
MEETINGS = [
    ((), 1, 7, "keys", "none", torch.float32, True, "in place"),
    ((), 1, 7, "square", "none", torch.float64, False, "gradients of others"),
    ((), 5, 5, None, None, torch.float32, False, "in place"),
    ((), 5, 5, "full", "some", torch.float64, True, "gradients of others"),
    ((), 67, 3, "square", "row", torch.float32, False, "gradients"),
    ((1, 3), 1, 7, "full", "none", torch.float32, True, "gradients of others"),
    ((1, 3), 5, 5, "keys", "some", torch.float32, False, "gradients"),
    ((1, 3), 5, 5, "square", "row", torch.float64, True, "in place"),
    ((1, 3), 67, 3, None, None, torch.float32, True, "gradients of others"),
    ((2, 3), 1, 7, None, None, torch.float64, True, "gradients of others"),
    ((2, 3), 1, 7, "square", "none", torch.float32, True, "gradients"),
    ((2, 3), 5, 5, "keys", "row", torch.float64, False, "gradients of others"),
    ((2, 3), 67, 3, "full", "some", torch.float64, True, "in place"),
    ((2,), 1, 7, "full", "row", torch.float32, True, "gradients"),
    ((2,), 1, 7, "square", "some", torch.float64, False, "gradients of others"),
    ((2,), 5, 5, "full", "none", torch.float64, False, "gradients of others"),
    ((2,), 67, 3, None, None, torch.float64, False, "gradients"),
    ((2,), 67, 3, "keys", "none", torch.float64, False, "in place"),
]

item = pytest.mark.item


def qkv(
    draw: Draw, *leading: int, d_k: int = D_K, dtype: torch.dtype = torch.float64
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q = draw.normal(*leading, T_Q, d_k, dtype=dtype)
    k = draw.normal(*leading, T_K, d_k, dtype=dtype)
    return q, k, draw.normal(*leading, T_K, D_V, dtype=dtype)


def low_logits(draw: Draw, low: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Such that all logits are this number."""
    q = torch.full((BATCH, N_HEADS, T_Q, D_K), 2.0, dtype=torch.float64)
    k = torch.full((BATCH, N_HEADS, T_K, D_K), low / (2 * math.sqrt(D_K)), dtype=torch.float64)
    return q, k, draw.normal(BATCH, N_HEADS, T_K, D_V)


def selves(draw: Draw) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """As many queries as keys, and a batch without heads."""
    q, k = draw.normal(BATCH, T_Q, D_K), draw.normal(BATCH, T_Q, D_K)
    return q, k, draw.normal(BATCH, T_Q, D_V)


# hand_example


@item("hand_example", public=True, hint="Divide by the root of d_k before the exponentials.")
def test_hand_weights(agree: Agree) -> None:
    """The weights worked out by hand are those of the printed example, to two decimals."""
    agree.value("hand_weights")


@item("hand_example", public=True, hint="Each output is the sum of the values, each by its weight.")
def test_hand_output(agree: Agree) -> None:
    """The output worked out by hand is that of the printed example, to two decimals."""
    agree.value("hand_output")


# attention_output


@item("attention_output", public=True, hint="Compare your steps with equation 1, one by one.")
def test_output(agree: Agree, draw: Draw) -> None:
    """The output is the values mixed by the weights, for every batch entry and head."""
    agree(ATTENTION, *qkv(draw, BATCH, N_HEADS), outputs=OUTPUTS, look_at=["output"])


@item("attention_output", public=True, hint="How many axes has q? Count them from the end.")
def test_output_without_batch(agree: Agree, draw: Draw) -> None:
    """Without a batch and heads, two axes each, it works as well."""
    agree(ATTENTION, *qkv(draw), outputs=OUTPUTS, look_at=["output"])


@item("attention_output", hint="Which axes do you transpose? Count them from the end.")
@pytest.mark.parametrize("leading", [(3,), (2, 3, 4)], ids=len)
def test_output_leading(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """Any number of leading dimensions will do: none, one, or three."""
    agree(ATTENTION, *qkv(draw, *leading), outputs=OUTPUTS, look_at=["output"])


@item("attention_output", hint="Does anything squeeze an axis of size 1 away?", fits="shape")
def test_output_single(agree: Agree, draw: Draw) -> None:
    """A single query, a single key, and a batch of a single sentence are no special case."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    agree(ATTENTION, q[..., :1, :], k, v, outputs=OUTPUTS, look_at=["output"])
    agree(ATTENTION, q, k[..., :1, :], v[..., :1, :], outputs=OUTPUTS, look_at=["output"])
    agree(ATTENTION, q[:1], k[:1], v[:1], outputs=OUTPUTS, look_at=["output"])


# attention_weights


@item("attention_weights", public=True, hint="Over which axis must the weights sum to 1?")
def test_weights(agree: Agree, draw: Draw) -> None:
    """The weights (..., t_q, t_k) are returned beside the output, and have the right values."""
    agree(ATTENTION, *qkv(draw, BATCH, N_HEADS), outputs=OUTPUTS, look_at=["weights"])


@item("attention_weights", hint="Does the softmax run over the keys, the last axis?")
@pytest.mark.parametrize("leading", [(), (3,), (2, 3, 4)], ids=len)
def test_weights_leading(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """The weights are right with any number of leading dimensions."""
    agree(ATTENTION, *qkv(draw, *leading), outputs=OUTPUTS, look_at=["weights"])


@item("attention_weights", hint="Does the softmax run over the keys, the last axis?")
def test_weights_of_sentences(agree: Agree, draw: Draw) -> None:
    """The weights are right when sentences attend to themselves."""
    agree(ATTENTION, *selves(draw), outputs=OUTPUTS, look_at=["weights"])


@item("attention_weights", hint="Does the softmax run over the keys, the last axis?")
def test_weights_sum(student: Student, agree: Agree, draw: Draw) -> None:
    """The weights of every query sum to 1 over the keys, and none is negative."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    weights = agree(ATTENTION, q, k, v, outputs=OUTPUTS, look_at=["weights"]).value[1]
    if (weights < 0).any():
        agree.wrong(ATTENTION, "some weights are negative", q, k, v)
    if not torch.allclose(weights.sum(-1), torch.ones(BATCH, N_HEADS, T_Q, dtype=q.dtype)):
        agree.wrong(ATTENTION, "the weights of a query do not sum to 1 over the keys", q, k, v)


@item(
    "attention_weights",
    hint="Is the largest logit of a row taken away before the exponential?",
    fits="infinite",
)
def test_weights_of_huge_logits(agree: Agree, draw: Draw) -> None:
    """Logits of thousands and millions, beside others of 0, give no infinity or NaN."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    # Above 709, exp overflows in float64. The logits of a query are whole multiples of 500: one
    # key takes it all, and no rounding of so large numbers can tip the balance.
    q[:] = 0.0
    q[..., 1:3, 0], q[..., 3:, 0] = 1e3, 1e6  # the first query looks at all keys alike
    k[..., 0] = k[..., 0].argsort(-1).to(k.dtype)
    agree(ATTENTION, q, k, v, outputs=OUTPUTS, look_at=["weights"])


@item("attention_weights", hint="With which number are the logits of a query compared?")
def test_weights_of_low_logits(agree: Agree, draw: Draw) -> None:
    """Where all logits of a query lie far below 0, its weights sum to 1 as well."""
    for low in (LOW, -4 * HUGE):
        agree(ATTENTION, *low_logits(draw, low), outputs=OUTPUTS, look_at=["weights"])


# attention_scale


@item("attention_scale", public=True, hint="What is under the root, and is there one?")
def test_scale(agree: Agree, draw: Draw) -> None:
    """The logits are divided by the square root of d_k, as precisely as float64 can."""
    # The root of 18 is one that float32 rounds badly, and what is large shows it.
    q, k, v = qkv(draw, BATCH, N_HEADS, d_k=18)
    agree(ATTENTION, 4 * q, k, v, outputs=OUTPUTS, look_at=["weights"])


@item("attention_scale", hint="Is d_k read from q, or is it a constant?", fits=("values", "shape"))
@pytest.mark.parametrize("d_k", [1, 8, 16, 64])
def test_scale_follows_d_k(agree: Agree, draw: Draw, d_k: int) -> None:
    """The scale follows d_k, the size of the last axis of q and k, whatever it is."""
    agree(ATTENTION, *qkv(draw, BATCH, d_k=d_k), outputs=OUTPUTS, look_at=["weights"])


# attention_mask


@item("attention_mask", public=True, hint="True means: may attend. What happens to the others?")
def test_mask(agree: Agree, draw: Draw) -> None:
    """A mask (t_q, t_k) holds for every batch entry and head; a blocked key has weight 0."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    agree(ATTENTION, q, k, v, mask=draw_mask(draw, T_Q, T_K), outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="Leave the broadcasting to torch: what shape have the logits?")
@pytest.mark.parametrize(
    "shape", [(BATCH, 1, 1, T_K), (BATCH, N_HEADS, T_Q, T_K)], ids=["padding", "full"]
)
def test_mask_broadcasts(agree: Agree, draw: Draw, shape: tuple[int, ...]) -> None:
    """A mask (batch, 1, 1, t_k) or (batch, n_heads, t_q, t_k) works as well."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    agree(ATTENTION, q, k, v, mask=draw_mask(draw, *shape), outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="Shapes are aligned from the right: which axis does the mask lack?")
@pytest.mark.parametrize("batch", [BATCH, N_HEADS], ids=["fewer", "as_many"])
def test_mask_of_heads(agree: Agree, draw: Draw, batch: int) -> None:
    """A mask (n_heads, t_q, t_k) holds for every batch entry, as many as heads or not."""
    mask = draw_mask(draw, N_HEADS, T_Q, T_K)
    agree(ATTENTION, *qkv(draw, batch, N_HEADS), mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="True means: may attend. What happens to the others?")
def test_mask_of_sentences(agree: Agree, draw: Draw) -> None:
    """A mask holds when sentences attend to themselves, too."""
    mask = draw_mask(draw, BATCH, T_Q, T_Q)
    agree(ATTENTION, *selves(draw), mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="How many axes has q? The result has as many.", fits="shape")
@pytest.mark.parametrize("leading", [(), (BATCH,)], ids=len)
def test_mask_without_heads(agree: Agree, draw: Draw, leading: tuple[int, ...]) -> None:
    """A mask (t_q, t_k) holds without heads, and without a batch, and adds no axis."""
    mask = draw_mask(draw, T_Q, T_K)
    agree(ATTENTION, *qkv(draw, *leading), mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="Is a mask that blocks nothing the same as no mask?")
def test_mask_that_allows_all(agree: Agree, draw: Draw) -> None:
    """A mask that allows every key changes nothing."""
    everyone = torch.ones(T_Q, T_K, dtype=torch.bool)
    agree(ATTENTION, *qkv(draw, BATCH, N_HEADS), mask=everyone, outputs=OUTPUTS)
    agree(ATTENTION, *low_logits(draw, -4 * HUGE), mask=everyone, outputs=OUTPUTS)


@item("attention_mask", hint="Is what you fill in low enough, and does it come before the softmax?")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_mask_beats_huge_logits(agree: Agree, draw: Draw, dtype: torch.dtype) -> None:
    """A blocked key has weight exactly 0 even when its logit is ten thousand."""
    mask = draw_mask(draw, T_Q, T_K)
    mask[:, 0] = False  # with the largest logit by far
    mask[:, 1] = True
    q = draw.normal(BATCH, N_HEADS, T_Q, D_K, dtype=dtype).abs()
    k = draw.normal(BATCH, N_HEADS, T_K, D_K, dtype=dtype)
    k[..., 0, :] = HUGE
    v = draw.normal(BATCH, N_HEADS, T_K, D_V, dtype=dtype)
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="Is what you fill in lower than any score may be?")
def test_mask_beats_low_logits(agree: Agree, draw: Draw) -> None:
    """A blocked key has weight exactly 0 even when the logits of all others are far below it."""
    mask = draw_mask(draw, T_Q, T_K)
    mask[:, 0], mask[:, 1] = False, True
    for low in (-4 * HUGE, LOW):
        q, k, v = low_logits(draw, low)
        k[..., 0, :] = 0.0
        agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", public=True, hint="Is 0 taken for the sign that a key is blocked?")
def test_mask_of_equal_logits(agree: Agree, draw: Draw) -> None:
    """A logit of exactly 0 is one like any other, and so are logits that are all the same."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    q[..., [1, 3], :], k[..., 2, :], k[..., 3, :] = 0.0, 0.0, k[..., 4, :]
    mask = draw_mask(draw, T_Q, T_K)
    mask[:, 2:4] = True
    mask[1], mask[3, 0] = True, False  # all of a query's logits alike, with and without a mask
    agree(ATTENTION, q, k, v, outputs=OUTPUTS)
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_mask", hint="Does anything of a blocked key get past the mask?")
def test_blocked_key_is_not_seen(student: Student, agree: Agree, draw: Draw) -> None:
    """Changing a blocked key or its value changes nothing at all."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    mask = draw_mask(draw, T_Q, T_K)
    mask[:, 2] = False
    mask[:, 3] = True
    before = agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS).value
    k[..., 2, :] += 100.0
    v[..., 2, :] -= 100.0
    after = agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS).value
    if not all(torch.equal(one, other) for one, other in zip(before, after, strict=True)):
        problem = "a blocked key and its value were changed, and so was the result"
        agree.wrong(ATTENTION, problem, q, k, v, mask=mask)


# attention_blocked_rows


@item(
    "attention_blocked_rows",
    public=True,
    hint="What is softmax of a row that is -inf all over?",
    fits="infinite",
)
def test_blocked_rows(agree: Agree, draw: Draw) -> None:
    """A query that may attend to nothing gets weights of 0 and an output of 0, never NaN."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    mask = draw_mask(draw, T_Q, T_K)
    mask[1] = False
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, exact_zeros=True)
    k, v = (x[..., :1, :].clone() for x in (k, v))
    mask = mask.any(-1, keepdim=True)  # one key, which is blocked for one query
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item(
    "attention_blocked_rows",
    hint="Is NaN replaced after it has already reached the gradient?",
    fits="infinite",
)
def test_blocked_rows_gradients(agree: Agree, draw: Draw) -> None:
    """A query that may attend to nothing leaves every gradient finite, its own exactly 0."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    mask = draw_mask(draw, BATCH, N_HEADS, T_Q, T_K)
    mask[..., 3:5] = True  # two keys: beside a single one the gradient of q is 0 but for rounding
    mask[..., 0, :] = True  # nor is any key blocked for all, whose gradient is so
    mask[1, 2] = False
    mask[0, :, 3] = False
    cotangents = draw.normal(BATCH, N_HEADS, T_Q, D_V), None  # through the output alone
    agree(
        ATTENTION,
        *(q, k, v),
        mask=mask,
        outputs=OUTPUTS,
        cotangents=cotangents,
        exact_zeros=True,
    )


@item(
    "attention_blocked_rows",
    hint="Is NaN replaced after it has already reached the gradient?",
    fits="infinite",
)
def test_blocked_rows_of_sentences(agree: Agree, draw: Draw) -> None:
    """It is the same when sentences attend to themselves."""
    mask = draw_mask(draw, BATCH, T_Q, T_Q)
    mask[..., 3:5] = mask[..., 0, :] = True  # as above
    mask[1, 2] = False
    cotangents = draw.normal(BATCH, T_Q, D_V), None  # through the output alone
    agree(
        ATTENTION,
        *selves(draw),
        mask=mask,
        outputs=OUTPUTS,
        cotangents=cotangents,
        exact_zeros=True,
    )


@item(
    "attention_blocked_rows",
    hint="What is softmax of a row that is -inf all over?",
    fits="infinite",
)
def test_blocked_rows_of_values_as_wide_as_keys(agree: Agree, draw: Draw) -> None:
    """It is the same when values are as wide as keys, and the mask says it for every sentence."""
    q, k, v = (draw.normal(BATCH, T_Q, D_K) for _ in range(3))
    mask = draw_mask(draw, BATCH, T_Q, T_Q)
    mask[1, 2] = False
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_blocked_rows", hint="How many entries has a row of the mask, and how many keys?")
def test_blocked_rows_of_one_column(agree: Agree, draw: Draw) -> None:
    """A query whose row of a mask (t_q, 1) is False gets weights of 0 and an output of 0."""
    mask = torch.ones(T_Q, 1, dtype=torch.bool)
    mask[1] = False
    agree(ATTENTION, *qkv(draw, BATCH, N_HEADS), mask=mask, outputs=OUTPUTS, exact_zeros=True)


@item("attention_blocked_rows", hint="Is there a case in which nobody asks what the mask says?")
def test_every_row_is_blocked(agree: Agree, draw: Draw) -> None:
    """With a mask of nothing but False, all weights and the whole output are 0."""
    nobody = torch.zeros(T_Q, T_K, dtype=torch.bool)
    agree(ATTENTION, *qkv(draw, BATCH, N_HEADS), mask=nobody, outputs=OUTPUTS, exact_zeros=True)


@item("attention_blocked_rows", hint="Is a gradient of 0 the same as none?", fits="gradient")
def test_every_row_is_blocked_gradients(agree: Agree, draw: Draw) -> None:
    """With a mask of nothing but False, there are gradients, and all are 0."""
    cotangents = draw.normal(BATCH, N_HEADS, T_Q, D_V), None  # through the output alone
    agree(
        ATTENTION,
        *qkv(draw, BATCH, N_HEADS),
        mask=torch.zeros(T_Q, T_K, dtype=torch.bool),
        outputs=OUTPUTS,
        cotangents=cotangents,
        exact_zeros=True,
    )


# attention_gradients


@item(
    "attention_gradients", public=True, hint="Is a step done outside of autograd?", fits="gradient"
)
def test_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of the output by q, k and v are right."""
    cotangents = draw.normal(BATCH, N_HEADS, T_Q, D_V), None  # through the output alone
    agree(ATTENTION, *qkv(draw, BATCH, N_HEADS), outputs=OUTPUTS, cotangents=cotangents)


@item(
    "attention_gradients",
    hint="Through which path does a blocked key still get a gradient?",
    fits="gradient",
)
def test_gradients_with_mask(agree: Agree, draw: Draw) -> None:
    """With a mask the gradients are right, and those of a key blocked for all are exactly 0."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    mask = draw_mask(draw, T_Q, T_K)
    mask[:, 2] = False
    mask[:, 3:5] = True  # two keys, as above
    cotangents = draw.normal(BATCH, N_HEADS, T_Q, D_V), None  # through the output alone
    agree(
        ATTENTION,
        *(q, k, v),
        mask=mask,
        outputs=OUTPUTS,
        cotangents=cotangents,
        exact_zeros=True,
    )


@item("attention_gradients", hint="Is a step done outside of autograd?", fits="gradient")
def test_gradients_of_sentences(agree: Agree, draw: Draw) -> None:
    """The gradients are right when sentences attend to themselves."""
    cotangents = draw.normal(BATCH, T_Q, D_V), None  # through the output alone
    agree(ATTENTION, *selves(draw), outputs=OUTPUTS, cotangents=cotangents)


# attention_tensors


@item(
    "attention_tensors",
    public=True,
    hint="Is a constant made in another dtype than q's?",
    fits="dtype",
)
def test_float32(agree: Agree, draw: Draw) -> None:
    """float32 inputs give float32 output and weights."""
    q, k, v = qkv(draw, BATCH, N_HEADS, dtype=torch.float32)
    agree(ATTENTION, q, k, v, outputs=OUTPUTS)
    agree(ATTENTION, q, k, v, mask=draw_mask(draw, T_Q, T_K), outputs=OUTPUTS)


@item(
    "attention_tensors",
    public=True,
    hint="view needs contiguous memory; reshape does not.",
    fits="layout",
)
def test_non_contiguous(agree: Agree, draw: Draw) -> None:
    """Inputs that are not contiguous in memory, such as transposed ones, work as well."""
    q = draw.normal(BATCH, T_Q, N_HEADS, D_K).transpose(1, 2)
    k = draw.normal(BATCH, N_HEADS, D_K, T_K).transpose(2, 3)
    v = draw.normal(T_K, N_HEADS, BATCH, D_V).transpose(0, 2)
    agree(ATTENTION, q, k, v, outputs=OUTPUTS)
    mask = draw_mask(draw, T_K, T_Q, N_HEADS).permute(2, 1, 0)
    mask[..., 0] = True
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS)


@item("attention_tensors", hint="On which device is a new tensor made?")
def test_device(agree: Agree, draw: Draw) -> None:
    """Output and weights are on the device of the inputs, with a mask as without."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    agree(ATTENTION, q, k, v, outputs=OUTPUTS, elsewhere=True)
    mask = draw_mask(draw, T_Q, T_K)
    agree(ATTENTION, q, k, v, mask=mask, outputs=OUTPUTS, elsewhere=True)


@item("attention_tensors", hint="Methods that end in _, and operators such as /=, write in place.")
def test_inputs_unchanged(agree: Agree, draw: Draw) -> None:
    """The inputs, the mask among them, are left as they are."""
    q, k, v = qkv(draw, BATCH, N_HEADS)
    agree.unchanged(ATTENTION, q, k, v)
    mask = draw_mask(draw, T_Q, T_K)
    agree.unchanged(ATTENTION, q, k, v, mask=mask)
    blocked = mask.index_fill(0, torch.tensor(1), False)  # a row that some open, in place
    agree.unchanged(ATTENTION, q, k, v, mask=blocked)


@item("attention_tensors", crowded=True)
@meeting(MEETINGS)
def test_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Axes, lengths, masks, dtypes, layouts, gradients and calls may meet at will."""
    leading, t_q, t_k, axes, blocks, dtype, is_relaid, asked = met
    of_keys = (*leading[:1], *(1 for _ in leading[1:]), 1, t_k)
    shapes = {"square": (t_q, t_k), "keys": of_keys, "full": (*leading, t_q, t_k)}

    def drawn() -> dict[Any, Any]:
        sizes = (t_q, D_K), (t_k, D_K), (t_k, D_V)
        found = {at: draw.normal(*leading, *x, dtype=dtype) for at, x in enumerate(sizes)}
        masked = {"mask": mask_that(draw, blocks, *shapes[axes])} if axes else {}
        return {at: relaid(x) if is_relaid else x for at, x in (found | masked).items()}

    given = drawn()
    args = [given.pop(at) for at in range(3)]
    upstream, how = draw.normal(*leading, t_q, D_V, dtype=dtype), {"outputs": OUTPUTS}
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": drawn(), "how": how}
    ask_there(agree, ATTENTION, *args, **beside, **given)


# padding_mask, causal_mask, masks_together


@item(
    "padding_mask",
    public=True,
    hint="True at real tokens; where do the axes of size 1 go?",
    fits=("values", "shape"),
)
def test_padding_mask(agree: Agree, draw: Draw) -> None:
    """The padding mask is bool, (batch, 1, 1, t), and True exactly at the real tokens."""
    agree("padding_mask", draw_tokens(draw, BATCH, T_K))


@item("padding_mask", hint="Is pad_id used, or is 0 written out?")
def test_padding_mask_pad_id(agree: Agree, draw: Draw) -> None:
    """The id of the padding may be any, and 0 a real token then."""
    tokens = draw_tokens(draw, BATCH, T_K, pad_id=49)
    tokens[1, 2] = 0
    agree("padding_mask", tokens, pad_id=49)


@item("padding_mask", hint="In which dtype are the ids compared?")
def test_padding_mask_of_many_words(agree: Agree, draw: Draw) -> None:
    """Ids may be in the millions: whatever they have in common with pad_id, they are real."""
    tokens = draw_tokens(draw, BATCH, T_K, vocab_size=900, pad_id=300)
    tokens[0, :2], tokens[1, 0] = torch.tensor([300 + 256, 300 - 256]), 300 + 512
    tokens[1, 1] = 300 + 65536
    agree("padding_mask", tokens, pad_id=300)
    far = 2**24  # from where on float32 has no room for every whole number
    agree("padding_mask", far + torch.arange(-10, 11).view(3, 7), pad_id=far)


@item("padding_mask", hint="Does a pad in the middle count as one?")
def test_padding_mask_anywhere(agree: Agree, draw: Draw) -> None:
    """Pads are found wherever they stand, in rows of padding alone too."""
    tokens = draw_tokens(draw, T_Q, T_K)
    tokens[0] = 0
    tokens[1, 1] = 0
    tokens[2] = tokens[2].clamp(min=1)  # none at all
    agree("padding_mask", tokens)
    agree("padding_mask", tokens[2:3].repeat(2, 1))  # none in any row


@item("padding_mask", hint="Methods that end in _ write in place.")
def test_padding_mask_leaves_tokens(agree: Agree, draw: Draw) -> None:
    """The tokens are left as they are."""
    agree.unchanged("padding_mask", draw_tokens(draw, BATCH, T_K))
    agree.unchanged("padding_mask", draw_tokens(draw, BATCH, T_K, pad_id=49), pad_id=49)


@item("padding_mask", hint="On which device is a new tensor made?", fits="device")
def test_padding_mask_device(agree: Agree, draw: Draw) -> None:
    """The padding mask is on the device of the tokens."""
    agree("padding_mask", draw_tokens(draw, BATCH, T_K), elsewhere=True)


@item("causal_mask", public=True, hint="Row i is query i: which keys came before it, and itself?")
def test_causal_mask(agree: Agree) -> None:
    """The causal mask is bool, (size, size), True on and below the diagonal."""
    agree("causal_mask", T_Q)


@item("causal_mask", hint="Is the size a constant somewhere?", fits=("values", "shape"))
@pytest.mark.parametrize("size", [1, 2, 8, 65, 257])
def test_causal_mask_size(agree: Agree, size: int) -> None:
    """The causal mask has the size that is asked for."""
    agree("causal_mask", size)


@item("causal_mask", hint="On which device is a new tensor made?", fits="device")
def test_causal_mask_device(agree: Agree) -> None:
    """The causal mask is on the device that is asked for."""
    agree("causal_mask", 6, device="cuda", elsewhere=True)  # of a size that was never asked


@item("causal_mask", hint="Where does torch put a tensor for device=None?", fits="device")
def test_causal_mask_on_the_default_device(agree: Agree) -> None:
    """The causal mask is on torch's default device where none is asked for."""
    agree("causal_mask", 7, device=None, elsewhere=True)  # the other one is the default here


@item("causal_mask", hint="Is a mask that was made before handed out again?", fits="device")
def test_causal_mask_of_two_devices(agree: Agree) -> None:
    """A causal mask is on the device that is asked for, after one on another device, too."""
    agree("causal_mask", 3, device="cuda", elsewhere=True, before={"device": None})


@item("causal_mask", hint="Is a mask that was made before handed out again?")
def test_causal_mask_is_a_new_one(agree: Agree) -> None:
    """Each causal mask is a new one: what was written to an earlier one is not in it."""
    agree("causal_mask", 4, before={0: 4}, overwritten=True)


def padded(draw: Draw, t: int) -> torch.Tensor:
    """Tokens with padding in their middle, and not by chance."""
    tokens = draw_tokens(draw, BATCH, t)
    tokens[1, 2], tokens[1, 3] = 0, 1
    return tokens


@item(
    "masks_together",
    public=True,
    hint="Each mask by itself first: dtype, shape, values.",
    fits=("values", "shape", "dtype"),
)
def test_masks_of_one_batch(agree: Agree, draw: Draw) -> None:
    """For one batch of tokens, both masks are right."""
    agree("padding_mask", padded(draw, T_Q))
    agree("causal_mask", T_Q)


@item(
    "masks_together",
    hint="What shape do (batch, 1, 1, t) and (t, t) broadcast to?",
    fits=("values", "shape"),
)
def test_masks_combine(student: Student, reference: Student, agree: Agree, draw: Draw) -> None:
    """With & they combine to (batch, 1, t, t): real tokens that are not later than the query."""
    tokens = padded(draw, T_K)
    padding, causal = (agree("padding_mask", tokens).value, agree("causal_mask", T_K).value)
    expected = (
        reference.call("padding_mask", tokens).value & reference.call("causal_mask", T_K).value
    )
    if not torch.equal(padding & causal, expected):
        agree.wrong("padding_mask", "combined with the causal mask it is not right", tokens)
