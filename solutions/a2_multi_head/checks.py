"""Checks of a2_multi_head. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct, so that no swapped axis can pass. Masks leave every query a key to
attend to, except where the check is about those that have none. The gradient of k_proj.bias is
rounding and nothing else, so that no gradient is looked at for exact zeros.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checking import Agree, Blueprint, Draw, Student

from ..inputs import draw_mask, mask_that
from ..meetings import Meeting, ask_there, made_for, meeting, relaid

BATCH, N_HEADS, T_Q, T_K, D_MODEL = 2, 3, 5, 7, 12
D_K = D_MODEL // N_HEADS
CLASS = "MultiHeadAttention"
STORED: dict[str, Any] = {"read": ("weights",), "look_at": ["weights"], "exact_zeros": True}
# Sentences, queries, keys (as many: the same), heads, the mask's axes, what it blocks, dtype; if
# relaid; if in train mode; what is asked.
MEETINGS = [
    (1, 1, 7, 1, None, None, torch.float64, True, False, "gradients"),
    (1, 1, 7, 1, "keys", "none", torch.float64, False, True, "other weights"),
    (1, 1, 7, 3, "full", "none", torch.float32, True, False, "in place"),
    (1, 5, 5, 1, "full", "some", torch.float64, False, True, "other weights"),
    (1, 5, 5, 3, None, None, torch.float32, False, True, "gradients of others"),
    (1, 67, 3, 3, "square", "row", torch.float32, False, False, "other weights"),
    (1, 67, 3, 3, "square", "some", torch.float64, False, False, "in place"),
    (2, 1, 7, 1, "full", "some", torch.float64, False, False, "gradients of others"),
    (2, 1, 7, 1, "square", "row", torch.float64, True, False, "gradients of others"),
    (2, 5, 5, 1, "full", "some", torch.float64, False, True, "in place"),
    (2, 5, 5, 1, "keys", "row", torch.float64, False, False, "in place"),
    (2, 5, 5, 1, "square", "none", torch.float32, False, True, "gradients"),
    (2, 5, 5, 3, None, None, torch.float64, False, False, "in place"),
    (2, 5, 5, 3, "keys", "some", torch.float32, True, False, "gradients"),
    (2, 67, 3, 1, None, None, torch.float64, True, True, "other weights"),
    (2, 67, 3, 1, "full", "row", torch.float32, False, True, "gradients"),
    (2, 67, 3, 3, "keys", "none", torch.float32, True, True, "gradients of others"),
]

item = pytest.mark.item


def attention(agree: Agree, n_heads: int = N_HEADS, d_model: int = D_MODEL) -> Blueprint:
    return agree.module(CLASS, d_model, n_heads)


def selves(draw: Draw, *, batch: int = BATCH, t: int = T_Q) -> tuple[Tensor, Tensor, Tensor]:
    x = draw.normal(batch, t, D_MODEL)
    return x, x, x


def crossed(
    draw: Draw,
    *,
    t_q: int = T_Q,
    t_k: int = T_K,
    d_model: int = D_MODEL,
    dtype: torch.dtype = torch.float64,
) -> tuple[Tensor, Tensor, Tensor]:
    query = draw.normal(BATCH, t_q, d_model, dtype=dtype)
    memory = draw.normal(BATCH, t_k, d_model, dtype=dtype)
    return query, memory, memory


def three(
    draw: Draw, *, t_q: int = T_Q, t_k: int = T_K, d_model: int = D_MODEL
) -> tuple[Tensor, Tensor, Tensor]:
    query, key = draw.normal(BATCH, t_q, d_model), draw.normal(BATCH, t_k, d_model)
    return query, key, draw.normal(BATCH, t_k, d_model)


def everyone(*shape: int) -> Tensor:
    """A mask that blocks nothing, where the item is not about what a mask does."""
    return torch.ones(shape, dtype=torch.bool)


def causal(size: int) -> Tensor:
    return everyone(size, size).tril()


def rows_of(head: int) -> slice:
    return slice(head * D_K, (head + 1) * D_K)


def output_of(student: Student, agree: Agree, made: Blueprint, *inputs: Tensor) -> Tensor:
    """What a property is looked at on, whether its values are right or not."""
    output = student.call(made, *inputs).value
    if not isinstance(output, Tensor) or output.shape != inputs[0].shape:
        agree.wrong(made, f"expected a tensor of shape {tuple(inputs[0].shape)}", *inputs)
    return output


# heads_parameters


@item("heads_parameters", public=True, hint="Four nn.Linear(d_model, d_model), named as agreed.")
def test_parameters(agree: Agree) -> None:
    """The state dict holds weight and bias of q_proj, k_proj, v_proj, out_proj, nothing else."""
    agree.parameters(attention(agree))


@item("heads_parameters", hint="Does a shape depend on n_heads, or is a size written out?")
@pytest.mark.parametrize(("d_model", "n_heads"), [(8, 1), (6, 6), (20, 4)])
def test_parameters_follow_d_model(agree: Agree, d_model: int, n_heads: int) -> None:
    """The parameters have the same names and shapes, whatever n_heads is."""
    agree.parameters(attention(agree, n_heads, d_model))


# heads_bad_sizes


@item("heads_bad_sizes", public=True, hint="What does d_model % n_heads leave? Raise ValueError.")
def test_bad_sizes(agree: Agree) -> None:
    """Ten numbers for three heads raise a ValueError that names both."""
    agree.raises(ValueError, CLASS, 10, 3, naming=(10, 3))


@item("heads_bad_sizes", hint="Are both numbers in the message, those that were passed?")
@pytest.mark.parametrize(("d_model", "n_heads"), [(512, 7), (5, 8), (4, 8), (48, 36)])
def test_more_bad_sizes(agree: Agree, d_model: int, n_heads: int) -> None:
    """So does every pair that leaves a remainder, more heads than numbers included."""
    agree.raises(ValueError, CLASS, d_model, n_heads, naming=(d_model, n_heads))


# heads_split, heads_merge: no parameter takes part in them, so none is loaded.


@item(
    "heads_split",
    public=True,
    hint="Cut the last axis in two, then move the heads forward.",
    fits=("values", "shape"),
)
def test_split(agree: Agree, draw: Draw) -> None:
    """Head h gets the columns h * d_k to (h + 1) * d_k of every position."""
    splitting = attention(agree).without_loading().of("split_heads")
    agree(splitting, draw.normal(BATCH, T_Q, D_MODEL))


@item(
    "heads_split",
    hint="Is a size read from the wrong axis or written out, or a single sentence treated apart?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(
    ("batch", "n_heads", "t"), [(7, 1, 4), (7, 2, 3), (7, 4, 1), (7, 12, 5), (1, 4, 5)]
)
def test_split_sizes(agree: Agree, draw: Draw, batch: int, n_heads: int, t: int) -> None:
    """Any number of sentences, a single one too, of heads and of positions will do."""
    splitting = attention(agree, n_heads).without_loading().of("split_heads")
    agree(splitting, draw.normal(batch, t, D_MODEL))


@item("heads_split", hint="view needs memory in a certain order; reshape does not.", fits="layout")
def test_split_non_contiguous(agree: Agree, draw: Draw) -> None:
    """An input that is not contiguous in memory is split as any other."""
    splitting = attention(agree).without_loading().of("split_heads")
    agree(splitting, draw.normal(D_MODEL, T_Q, BATCH).transpose(0, 2))


@item(
    "heads_merge",
    public=True,
    hint="Do the two steps of split_heads backwards.",
    fits=("values", "shape"),
)
def test_merge(agree: Agree, draw: Draw) -> None:
    """Head h goes to the columns h * d_k to (h + 1) * d_k."""
    merging = attention(agree).without_loading().of("merge_heads")
    agree(merging, draw.normal(BATCH, N_HEADS, T_Q, D_K))


@item(
    "heads_merge",
    hint="Is a size read from the wrong axis or written out, or a single sentence treated apart?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(
    ("batch", "n_heads", "t"), [(7, 1, 4), (7, 2, 3), (7, 4, 1), (7, 12, 5), (1, 4, 5), (1, 1, 5)]
)
def test_merge_sizes(agree: Agree, draw: Draw, batch: int, n_heads: int, t: int) -> None:
    """Any number of sentences, a single one too, of heads and of positions will do."""
    merging = attention(agree, n_heads).without_loading().of("merge_heads")
    agree(merging, draw.normal(batch, n_heads, t, D_MODEL // n_heads))


@item(
    "heads_merge",
    hint="What would have to be done to the heads to have them back in place?",
    fits=("values", "shape"),
)
def test_merge_undoes_split(reference: Student, agree: Agree, draw: Draw) -> None:
    """What was split is merged to what it was before, with split_heads' memory layout too."""
    made = attention(agree).without_loading()
    x = draw.normal(BATCH, T_Q, D_MODEL)
    heads = reference.call(made.of("split_heads"), x).value  # a transposed view
    agree(made.of("merge_heads"), heads)


# heads_self_attention


@item("heads_self_attention", public=True, hint="Go through the five steps: is one left out?")
def test_self_attention(agree: Agree, draw: Draw) -> None:
    """A sentence that attends to itself gets the right output."""
    agree(attention(agree), *selves(draw))


@item(
    "heads_self_attention",
    hint="Does a size come from the wrong axis, or from a constant?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(("batch", "t", "n_heads"), [(1, 5, 2), (5, 1, 3), (5, 8, 4)])
def test_self_attention_sizes(agree: Agree, draw: Draw, batch: int, t: int, n_heads: int) -> None:
    """Any batch and any length will do, 1 included, and any number of heads."""
    agree(attention(agree, n_heads), *selves(draw, batch=batch, t=t))


@item("heads_self_attention", hint="Does something mix the sentences of a batch?")
def test_sentences_keep_apart(student: Student, agree: Agree, draw: Draw) -> None:
    """Another second sentence leaves the output of the first as it is."""
    made, (x, *_) = attention(agree), selves(draw)
    other = torch.cat([x[:1], 1000 * draw.normal(1, T_Q, D_MODEL)])
    before = output_of(student, agree, made, x, x, x)
    after = output_of(student, agree, made, other, other, other)
    if not torch.allclose(before[0], after[0]):
        agree.wrong(made, "the first output depends on the second sentence", x, x, x)


@item("heads_self_attention", hint="Is something kept that was made of parameters?")
def test_after_other_weights(agree: Agree, draw: Draw) -> None:
    """After a call with other parameters, those that were loaded since then are used."""
    x, _, _ = selves(draw)
    loaded: dict[str, Any] = {"before": {0: x, 1: x, 2: x}, "before_loading": True}
    agree(attention(agree), x, x, x, **loaded)
    agree(attention(agree), x, x, x, **loaded, without_grad=True)


@item("heads_self_attention", hint="Is anything done in train mode besides the five steps?")
def test_in_training(agree: Agree, draw: Draw) -> None:
    """In train mode as in eval mode: nothing is dropped."""
    agree(attention(agree).training(), *selves(draw))


@item("heads_self_attention", hint="Which loop could be one operation on whole tensors?")
def test_operations(agree: Agree, draw: Draw) -> None:
    """A larger batch and longer sentences take no more calls of torch (this costs nothing)."""
    made = attention(agree)
    few, long = selves(draw, batch=1, t=2), selves(draw, batch=1, t=9)
    agree.operations(made, few, selves(draw, batch=6, t=2), grows_with="the batch")
    agree.operations(made, few, long, grows_with="the length of the sentences")


# heads_cross_attention


@item(
    "heads_cross_attention",
    public=True,
    hint="Whose length does the output have?",
    fits=("values", "shape"),
)
def test_cross_attention(agree: Agree, draw: Draw) -> None:
    """The output is right with another number of keys than queries, and values of their own."""
    agree(attention(agree), *three(draw))


@item(
    "heads_cross_attention",
    hint="Is t read from query where it should be read from key?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(("t_q", "t_k"), [(8, 3), (1, 6), (6, 1)])
def test_cross_attention_sizes(agree: Agree, draw: Draw, t_q: int, t_k: int) -> None:
    """There may be more queries than keys, a single query, or a single key."""
    agree(attention(agree), *three(draw, t_q=t_q, t_k=t_k))


@item("heads_cross_attention", hint="How does the docstring call what forward takes?")
def test_cross_attention_by_name(agree: Agree, draw: Draw) -> None:
    """Query, key and value may be passed by their names."""
    query, key, value = three(draw)
    agree(attention(agree), query=query, key=key, value=value)


@item("heads_cross_attention", hint="Is something still there from the call before?")
@pytest.mark.parametrize(("t_q", "t_k"), [(T_Q, T_K), (1, 1)])
def test_one_sentence_after_another(agree: Agree, draw: Draw, t_q: int, t_k: int) -> None:
    """After a call with sentences of other lengths, the next is right as well, also of one word."""
    others = dict(enumerate(three(draw, t_q=8, t_k=3)))
    agree(attention(agree), *three(draw, t_q=t_q, t_k=t_k), before=others)


@item("heads_cross_attention", hint="Is something still there from the call before?")
@pytest.mark.parametrize("in_place", [False, True], ids=["another", "written_to"])
@pytest.mark.parametrize("place", [0, 1, 2], ids=["query", "key", "value"])
def test_another_tensor_in_one_place(agree: Agree, draw: Draw, place: int, in_place: bool) -> None:
    """After a call that differs in the numbers of query, key or value, the next is right, too."""
    inputs, others = three(draw), three(draw)
    agree(attention(agree), *inputs, before={place: others[place]}, in_place=in_place)


@item("heads_cross_attention", hint="Is one of the three taken for another when two are the same?")
def test_two_of_one_tensor(agree: Agree, draw: Draw) -> None:
    """Where two of query, key and value are one tensor, the third is still read."""
    x, other = draw.normal(BATCH, T_K, D_MODEL), draw.normal(BATCH, T_K, D_MODEL)
    agree(attention(agree), x, x, other)
    agree(attention(agree), x, other, x)
    agree(attention(agree), other, x, x)


@item("heads_cross_attention", hint="Is a position blocked, or left out, where no mask says so?")
def test_positions_of_zeros(agree: Agree, draw: Draw) -> None:
    """A position that is 0 all over is one like any other, in query, key and value."""
    query, key, value = three(draw)
    query[:, 1] = key[:, 2] = value[:, 3] = 0.0
    agree(attention(agree), query, key, value)


@item("heads_cross_attention", hint="What of the keys' order could still be seen in the output?")
def test_order_of_keys(student: Student, agree: Agree, draw: Draw) -> None:
    """Keys and values in another order, the same for both, give the same output."""
    made, (query, key, value) = attention(agree), three(draw)
    order = torch.randperm(T_K, generator=torch.Generator().manual_seed(T_K))
    before = output_of(student, agree, made, query, key, value)
    after = output_of(student, agree, made, query, key[:, order], value[:, order])
    if not torch.allclose(before, after):
        agree.wrong(made, "the order of the keys changes the output", query, key, value)


# heads_weights


def wrong_unless_detached(agree: Agree, made: Blueprint, weights: Any, *inputs: Tensor) -> None:
    if weights.requires_grad:
        problem = "self.weights still requires a gradient, so it is not detached"
        agree.wrong(made, problem, *inputs)


@item("heads_weights", public=True, hint="Which of attention's two results are the weights?")
def test_weights(agree: Agree, draw: Draw) -> None:
    """After a forward, self.weights holds the weights, one (t_q, t_k) for each head."""
    agree(attention(agree), *selves(draw), **STORED)


@item("heads_weights", hint="Does detach() come before the weights are stored?", fits=())
def test_weights_detached(agree: Agree, draw: Draw) -> None:
    """The stored weights require no gradient, the output does."""
    made, inputs = attention(agree), selves(draw)
    answer = agree(made, *inputs, **STORED)
    wrong_unless_detached(agree, made, answer.read[0], *inputs)


@item("heads_weights", hint="Over which axis must the weights sum to 1?")
def test_weights_of_cross_attention(agree: Agree, draw: Draw) -> None:
    """The stored weights are (batch, n_heads, t_q, t_k), and each query's sum to 1."""
    made, inputs = attention(agree), crossed(draw)
    weights = agree(made, *inputs, **STORED).read[0]
    if not torch.allclose(weights.sum(-1), torch.ones(BATCH, N_HEADS, T_Q, dtype=weights.dtype)):
        agree.wrong(made, "the stored weights of a query do not sum to 1", *inputs)


@item("heads_weights", hint="Are the weights stored those after the mask?")
def test_weights_with_mask(agree: Agree, draw: Draw) -> None:
    """With a mask, the stored weights are those after it: exactly 0 where it blocks."""
    made, inputs = attention(agree), crossed(draw)
    mask = draw_mask(draw, BATCH, N_HEADS, T_Q, T_K)
    answer = agree(made, *inputs, mask=mask, **STORED)
    wrong_unless_detached(agree, made, answer.read[0], *inputs)


@item("heads_weights", hint="How many columns has a row of weights, whatever is blocked?")
def test_weights_of_a_key_that_nobody_hears(agree: Agree, draw: Draw) -> None:
    """A key that is blocked for everybody has its column in the stored weights, all 0."""
    mask = draw_mask(draw, BATCH, N_HEADS, T_Q, T_K)
    mask[..., -1] = False
    mask[..., 0] = True
    agree(attention(agree), *crossed(draw), mask=mask, **STORED)


@item("heads_weights", hint="Does every call store its weights, or just the first?")
def test_weights_of_the_last_call(agree: Agree, draw: Draw) -> None:
    """After another call the stored weights are those of the last one, in a tensor of their own."""
    others = dict(enumerate(three(draw)))
    agree(attention(agree), *three(draw), before=others, **STORED)
    agree(attention(agree), *three(draw), before=others, **STORED, without_grad=True)


@item("heads_weights", hint="What else that is kept in a module is saved with it?")
def test_weights_are_not_saved(agree: Agree, draw: Draw) -> None:
    """A call adds nothing to the state dict: what is kept of it is no parameter and no buffer."""
    agree.parameters(attention(agree), after=selves(draw))


@item("heads_weights", hint="Does what is stored hang on the mode?")
def test_weights_in_train_mode(agree: Agree, draw: Draw) -> None:
    """In train mode the weights are stored just as in eval mode."""
    agree(attention(agree).training(), *selves(draw), **STORED)


@item("heads_weights", hint="Does anything squeeze an axis of size 1 away?", fits="shape")
@pytest.mark.parametrize(
    "sizes", [(1, N_HEADS, T_Q), (BATCH, 1, T_Q), (BATCH, N_HEADS, 1)], ids=str
)
def test_weights_keep_their_axes(agree: Agree, draw: Draw, sizes: tuple[int, int, int]) -> None:
    """One sentence, one head and one position still have an axis in the stored weights."""
    batch, n_heads, t = sizes
    agree(attention(agree, n_heads), *selves(draw, batch=batch, t=t), **STORED)


@item("heads_weights", hint="Is something made in another dtype than the inputs'?", fits="dtype")
def test_weights_in_float32(agree: Agree, draw: Draw) -> None:
    """A float32 module stores float32 weights."""
    agree(attention(agree).in_float32(), *crossed(draw, dtype=torch.float32), **STORED)


# heads_separate: with the identity as out_proj the heads' answers can be seen side by side.


def side_by_side(agree: Agree) -> Blueprint:
    identity = torch.eye(D_MODEL, dtype=torch.float64)
    nothing = torch.zeros(D_MODEL, dtype=torch.float64)
    changes = {"out_proj.weight": identity, "out_proj.bias": nothing}
    return attention(agree).with_weights(changes)


@item("heads_separate", public=True, hint="Are the answers laid side by side, head by head?")
def test_heads_side_by_side(agree: Agree, draw: Draw) -> None:
    """When out_proj is the identity, the output is the heads' answers side by side."""
    agree(side_by_side(agree), *crossed(draw, t_q=3, t_k=4))


@item("heads_separate", hint="Which columns does a head read, and from all three projections?")
@pytest.mark.parametrize("part", ["q_proj", "k_proj", "v_proj"])
def test_heads_are_separate(student: Student, agree: Agree, draw: Draw, part: str) -> None:
    """Other numbers in one head's rows of a projection change that head and no other."""
    made, inputs, head = side_by_side(agree), crossed(draw), 1
    weight, bias = ((made.weights or {})[f"{part}.{name}"].clone() for name in ("weight", "bias"))
    weight[rows_of(head)] += draw.normal(D_K, D_MODEL)
    bias[rows_of(head)] += draw.normal(D_K)
    changed = made.with_weights({f"{part}.weight": weight, f"{part}.bias": bias})
    before = output_of(student, agree, made, *inputs)
    after = output_of(student, agree, changed, *inputs)
    for other in range(N_HEADS):
        same = torch.allclose(before[..., rows_of(other)], after[..., rows_of(other)])
        if same == (other == head):
            said = "does not depend on its own" if same else f"depends on head {head}'s"
            agree.wrong(made, f"the answer of head {other} {said} rows of {part}", *inputs)


# heads_extremes


@item(
    "heads_extremes",
    public=True,
    hint="Is a number of heads, or d_k, written out somewhere?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("n_heads", [1, 4], ids=["one_head", "d_model_heads"])
def test_extremes(agree: Agree, draw: Draw, n_heads: int) -> None:
    """One head works, and so do as many heads as numbers."""
    agree(attention(agree, n_heads, 4), *crossed(draw, t_q=3, t_k=6, d_model=4))


@item(
    "heads_extremes",
    hint="Does an axis of size 1 get squeezed away, or broadcast unasked?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize("n_heads", [1, D_MODEL], ids=["one_head", "d_model_heads"])
def test_extremes_with_mask(agree: Agree, draw: Draw, n_heads: int) -> None:
    """One head, and as many heads as numbers, work when a mask is passed as well."""
    mask = everyone(BATCH, n_heads, T_Q, T_K)
    agree(attention(agree, n_heads), *crossed(draw), mask=mask)


# heads_mask


@item("heads_mask", public=True, hint="Is the mask handed on? True means: may attend.")
def test_mask(agree: Agree, draw: Draw) -> None:
    """A causal mask (t, t) holds for every sentence and head."""
    agree(attention(agree), *selves(draw), mask=causal(T_Q))


@item("heads_mask", hint="Leave the broadcasting to torch: what shape have the scores?")
@pytest.mark.parametrize(
    "shape",
    [
        (T_K,),
        (T_Q, T_K),
        (N_HEADS, 1, T_K),
        (1, T_Q, T_K),
        (1, 1, 1, T_K),
        (BATCH, 1, 1, T_K),
        (BATCH, 1, T_Q, T_K),
        (BATCH, N_HEADS, 1, T_K),
        (BATCH, N_HEADS, T_Q, T_K),
    ],
    ids=str,
)
def test_mask_broadcasts(agree: Agree, draw: Draw, shape: tuple[int, ...]) -> None:
    """A mask of any shape that broadcasts to (batch, n_heads, t_q, t_k) works."""
    agree(attention(agree), *crossed(draw), mask=draw_mask(draw, *shape))


@item("heads_mask", hint="Does a size tell what an axis stands for?")
def test_mask_of_as_many_words_as_sentences(agree: Agree, draw: Draw) -> None:
    """A causal mask (t, t) is one of queries and keys, also with as many sentences as words."""
    agree(attention(agree), *selves(draw, batch=T_Q), mask=causal(T_Q))


@item("heads_mask", hint="Does a size tell what an axis stands for?")
@pytest.mark.parametrize("rows", [1, T_Q], ids=["keys", "queries_and_keys"])
def test_mask_of_as_many_heads_as_sentences(agree: Agree, draw: Draw, rows: int) -> None:
    """The first of three axes is that of the heads, also with as many sentences as heads."""
    inputs = selves(draw, batch=N_HEADS)
    agree(attention(agree), *inputs, mask=draw_mask(draw, N_HEADS, rows, T_Q))


@item("heads_mask", hint="Is a mask that blocks nothing the same as no mask?")
def test_mask_that_allows_all(agree: Agree, draw: Draw) -> None:
    """A mask that allows every key changes nothing."""
    agree(attention(agree), *crossed(draw), mask=everyone(BATCH, 1, 1, T_K))


@item("heads_mask", hint="Leave the broadcasting to torch: what shape have the scores?")
def test_mask_of_one_column(agree: Agree, draw: Draw) -> None:
    """A mask with a single column broadcasts to all keys: here it allows every one."""
    agree(attention(agree), *crossed(draw), mask=everyone(BATCH, 1, T_Q, 1))


@item("heads_mask", hint="Is 0 taken for the sign that a key is blocked?")
def test_mask_of_equal_scores(agree: Agree, draw: Draw) -> None:
    """A score of exactly 0 is one like any other: when all are 0, the mask alone decides."""
    nothing = {name: torch.zeros_like(each) for name, each in projection(agree).items()}
    made = attention(agree).with_weights(nothing)
    agree(made, *crossed(draw), mask=draw_mask(draw, BATCH, N_HEADS, T_Q, T_K))


def projection(agree: Agree) -> dict[str, Tensor]:
    weights = attention(agree).weights or {}
    return {name: weights[name] for name in weights if name.startswith("q_proj")}


@item("heads_mask", hint="Whose mask is it: that of this call, or that of one before it?")
def test_mask_of_each_call(agree: Agree, draw: Draw) -> None:
    """Each call has a mask of its own, or none, where the one before it had one of its shape."""
    mask, other = (draw_mask(draw, BATCH, 1, T_Q, T_K) for _ in range(2))
    for now in (mask, None):
        agree(attention(agree), *crossed(draw), mask=now, before={"mask": other})


@item("heads_mask", hint="Does anything of a blocked position get past the mask?")
def test_blocked_position_is_not_seen(student: Student, agree: Agree, draw: Draw) -> None:
    """Changing a blocked position of key and value changes nothing at all."""
    made, (query, key, value) = attention(agree), crossed(draw)
    mask = draw_mask(draw, BATCH, 1, 1, T_K)
    mask[..., 2] = False
    mask[..., 3] = True
    before = agree(made, query, key, value, mask=mask).value
    key, value = key.clone(), value.clone()  # they were one tensor
    key[:, 2] += 1000.0  # its score, taken away from others, leaves nothing of their exponentials
    value[:, 2] -= 100.0
    after = agree(made, query, key, value, mask=mask).value
    if not torch.equal(before, after):
        problem = "a blocked key and its value were changed, and so was the result"
        agree.wrong(made, problem, query, key, value, mask=mask)


# heads_blocked_rows


@item(
    "heads_blocked_rows",
    public=True,
    hint="What is softmax of a row that is -inf all over?",
    fits="infinite",
)
def test_blocked_rows(agree: Agree, draw: Draw) -> None:
    """A query that may attend to nothing is left with out_proj's bias, never NaN."""
    mask = causal(T_Q)
    mask[1] = False
    agree(attention(agree), *selves(draw), mask=mask)


@item("heads_blocked_rows", hint="How many entries has a row of the mask, and how many keys?")
def test_blocked_rows_of_one_column(agree: Agree, draw: Draw) -> None:
    """A query whose row of a mask (t_q, 1) is False is left with out_proj's bias."""
    mask = everyone(T_Q, 1)
    mask[1] = False
    agree(attention(agree), *crossed(draw), mask=mask)


@item("heads_blocked_rows", hint="Is every head told of the mask in the same way?")
def test_blocked_rows_of_some_heads(student: Student, agree: Agree, draw: Draw) -> None:
    """A query may be blocked in one head, or one sentence, alone; its weights there are 0."""
    mask = draw_mask(draw, BATCH, N_HEADS, T_Q, T_K)
    mask[0, :, 3] = False
    mask[1, 2, 1] = False
    mask[1, 0, 4] = False
    made, inputs = attention(agree), crossed(draw)
    agree(made, *inputs, mask=mask)
    # Looked at only where they are stored: whether they are is another item's question.
    weights = student.call(made, *inputs, mask=mask, read=("weights",)).read[0]
    stored = isinstance(weights, Tensor) and weights.shape == mask.shape
    if stored and not (weights[~mask] == 0).all():
        problem = "the weights of a query that may attend to nothing are not 0"
        agree.wrong(made, problem, *inputs, mask=mask)


@item("heads_blocked_rows", hint="Is there a case in which nobody asks what the mask says?")
def test_every_key_is_blocked(agree: Agree, draw: Draw) -> None:
    """Where every key is blocked, be it the only one or one of many, nothing is heard."""
    mask = everyone(BATCH, 1, 1, 1)
    mask[1] = False
    agree(attention(agree), *crossed(draw, t_k=1), mask=mask)
    agree(attention(agree), *crossed(draw), mask=~everyone(T_Q, T_K))


@item(
    "heads_blocked_rows",
    hint="Is NaN replaced after it has already reached the gradient?",
    fits="infinite",
)
def test_blocked_rows_gradients(agree: Agree, draw: Draw) -> None:
    """A query that may attend to nothing leaves every gradient finite and right."""
    mask = draw_mask(draw, BATCH, N_HEADS, T_Q, T_K)
    mask[0, :, 3] = False
    mask[1, 2, 1] = False
    upstream = (draw.normal(BATCH, T_Q, D_MODEL),)
    agree(attention(agree), *crossed(draw), mask=mask, cotangents=upstream)


# heads_gradients


@item(
    "heads_gradients", public=True, hint="Which step is done outside of autograd?", fits="gradient"
)
def test_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of query, key and value and of all parameters are right."""
    made = attention(agree, 2, 6)
    inputs = three(draw, t_q=3, t_k=4, d_model=6)
    agree(made, *inputs, cotangents=(draw.normal(BATCH, 3, 6),))


@item("heads_gradients", hint="Does every parameter take part, or was one copied?", fits="gradient")
def test_gradients_of_self_attention(agree: Agree, draw: Draw) -> None:
    """They are right when a sentence attends to itself."""
    upstream = (draw.normal(BATCH, T_Q, D_MODEL),)
    agree(attention(agree), *selves(draw), cotangents=upstream)


@item("heads_gradients", hint="What makes two tensors one: equal numbers?", fits="gradient")
def test_gradients_of_equal_numbers(agree: Agree, draw: Draw) -> None:
    """Each input has a gradient of its own, also where other tensors hold the same numbers."""
    x, _, _ = selves(draw)
    upstream = (draw.normal(BATCH, T_Q, D_MODEL),)
    agree(attention(agree), x, x.clone(), x.clone(), cotangents=upstream)


@item(
    "heads_gradients",
    hint="Through which path does a blocked key still get a gradient?",
    fits="gradient",
)
def test_gradients_with_mask(agree: Agree, draw: Draw) -> None:
    """They are right with a mask."""
    upstream = (draw.normal(BATCH, T_Q, D_MODEL),)
    mask = draw_mask(draw, BATCH, 1, T_Q, T_K)
    agree(attention(agree), *three(draw), mask=mask, cotangents=upstream)


# heads_tensors


@item(
    "heads_tensors",
    public=True,
    hint="Is something made in another dtype than the inputs'?",
    fits="dtype",
)
def test_float32(agree: Agree, draw: Draw) -> None:
    """A float32 module gives a float32 result."""
    made = attention(agree).in_float32()
    inputs = crossed(draw, t_q=3, t_k=4, dtype=torch.float32)
    agree(made, *inputs)
    agree(made, *inputs, mask=everyone(3, 4))


@item(
    "heads_tensors", hint="view needs memory in a certain order; reshape does not.", fits="layout"
)
def test_non_contiguous(agree: Agree, draw: Draw) -> None:
    """Inputs that are not contiguous in memory, such as transposed ones, work as well."""
    query = draw.normal(T_Q, BATCH, D_MODEL).transpose(0, 1)
    key = draw.normal(BATCH, D_MODEL, T_K).transpose(1, 2)
    agree(attention(agree), query, key, key)
    transposed = draw.normal(D_MODEL, T_Q, BATCH).transpose(0, 2)
    agree(attention(agree), transposed, transposed, transposed)


@item("heads_tensors", hint="On which device is a new tensor made?", fits="device")
def test_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of the inputs and parameters, with a mask as without."""
    made, inputs = attention(agree), crossed(draw)
    agree(made, *inputs, elsewhere=True)
    agree(made, *inputs, mask=everyone(T_Q, T_K), elsewhere=True)


@item("heads_tensors", hint="Methods that end in _, and operators such as /=, write in place.")
def test_inputs_unchanged(agree: Agree, draw: Draw) -> None:
    """The inputs, the mask among them, are left as they are."""
    made, inputs = attention(agree), crossed(draw)
    agree.unchanged(made, *inputs)
    for shape in ((BATCH, N_HEADS, T_Q, T_K), (T_Q, T_K)):
        mask = draw_mask(draw, *shape)
        agree.unchanged(made, *inputs, mask=mask)
        blocked = mask.index_fill(-2, torch.tensor(1), False)  # a row that some open, in place
        agree.unchanged(made, *inputs, mask=blocked)


@item("heads_tensors", crowded=True)
@meeting(MEETINGS)
def test_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, masks, dtypes, layouts, modes, gradients and calls may meet at will."""
    batch, t_q, t_k, n_heads, axes, blocks, dtype, is_relaid, is_trained, asked = met
    full, keys = (batch, n_heads, t_q, t_k), (batch, 1, 1, t_k)
    shapes = {"square": (t_q, t_k), "keys": keys, "full": full}

    def drawn() -> dict[Any, Any]:
        found = {at: draw.normal(batch, t, D_MODEL, dtype=dtype) for at, t in enumerate(lengths)}
        masked = {"mask": mask_that(draw, blocks, *shapes[axes])} if axes else {}
        return {at: relaid(x) if is_relaid else x for at, x in (found | masked).items()}

    lengths = (t_q,) if t_q == t_k else (t_q, t_k, t_k)
    given = drawn()
    args = [given.pop(at) for at in range(len(lengths))] * (3 // len(lengths))
    made = made_for(attention(agree, n_heads), dtype, is_trained)
    upstream = draw.normal(batch, t_q, D_MODEL, dtype=dtype)
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": drawn()}
    ask_there(agree, made, *args, **beside, **given)
