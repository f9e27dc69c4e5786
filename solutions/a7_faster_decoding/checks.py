"""Checks of a7_faster_decoding. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct, and no query is left without a key: what attention makes of those is a
matter of its own assignment. What is kept is drawn, not made by earlier steps, wherever a function
is asked alone: what one function does wrong shows in its own items first.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checking import Agree, Blueprint, Draw, Student

from ..inputs import draw_mask, draw_tokens, mask_that
from ..meetings import Meeting, ask_there, made_for, meeting, relaid

BATCH, N_HEADS, T_TARGET, T_SOURCE, D_MODEL, D_FF = 2, 3, 5, 7, 12, 20
D_K = D_MODEL // N_HEADS
VOCABS = SOURCE_VOCAB, TARGET_VOCAB = 11, 13
MAX_LEN = 9
PAD, START, END, OTHER_PAD = 0, 1, 2, 4
HUGE = 1e4
DECODE = "greedy_decode_cached"
CACHE = "keys", "values", "memory_keys", "memory_values"
STEP = "x", "keys", "values"
# Sentences, queries, keys, heads, the mask's axes, what it blocks, dtype; if relaid; what is asked.
IN_ATTENTION = [
    (1, 1, 7, 1, None, None, torch.float32, False, "other weights"),
    (1, 1, 7, 1, "square", "none", torch.float64, True, "in place"),
    (1, 1, 7, 3, "keys", "some", torch.float32, True, "in place"),
    (1, 67, 3, 3, "full", "none", torch.float32, True, "other weights"),
    (2, 1, 7, 1, "full", "some", torch.float64, False, "in place"),
    (2, 67, 3, 1, "keys", "none", torch.float64, False, "other weights"),
    (2, 67, 3, 3, None, None, torch.float64, True, "in place"),
    (2, 67, 3, 3, "square", "some", torch.float32, False, "other weights"),
]
# Sentences, positions, layers; if there are pads in the source, and in the target; pad_id; what is
# asked.
IN_STEPS = [
    (1, 1, 2, True, False, 0, "other weights"),
    (1, 5, 1, True, True, 4, "other weights"),
    (1, 5, 2, True, False, 0, "in place"),
    (1, 9, 1, False, False, 0, "other weights"),
    (3, 1, 1, False, False, 4, "in place"),
    (3, 5, 2, False, True, 0, "other weights"),
    (3, 9, 2, True, True, 4, "in place"),
]

item = pytest.mark.item


def attention(agree: Agree, n_heads: int = N_HEADS) -> Blueprint:
    return agree.module("MultiHeadAttention", D_MODEL, n_heads)


def decoder_layer(agree: Agree, n_heads: int = N_HEADS) -> Blueprint:
    return agree.module("DecoderLayer", D_MODEL, n_heads, D_FF)


def transformer(
    agree: Agree, n_layers: int = 1, n_heads: int = N_HEADS, **kwargs: Any
) -> Blueprint:
    return agree.module("Transformer", *VOCABS, D_MODEL, n_heads, D_FF, n_layers, **kwargs)


def source_words(draw: Draw, batch: int = BATCH, t: int = T_SOURCE) -> Tensor:
    """Tokens without padding, whether that is 0 or OTHER_PAD."""
    return _words(draw, batch, t, SOURCE_VOCAB)


def target_words(draw: Draw, batch: int = BATCH, t: int = T_TARGET) -> Tensor:
    """Tokens without padding, whether that is 0 or OTHER_PAD."""
    return _words(draw, batch, t, TARGET_VOCAB)


def _words(draw: Draw, batch: int, t: int, vocab_size: int) -> Tensor:
    tokens = draw_tokens(draw, batch, 2 * t, vocab_size)[:, :t]  # its pads are in the last third
    return torch.where(tokens == OTHER_PAD, 3, tokens)


def padded(source: Tensor, pad_id: int = PAD) -> Tensor:
    """With padding behind: one place more in each row than in the row before."""
    source = source.clone()
    for row, tokens in enumerate(source):
        tokens[source.shape[1] - 1 - row :] = pad_id
    return source


def kept(draw: Draw, t: int, n_heads: int = N_HEADS, batch: int = BATCH) -> tuple[Tensor, Tensor]:
    """Keys and values of t positions."""
    shape = batch, n_heads, t, D_MODEL // n_heads
    return draw.normal(*shape), draw.normal(*shape)


def kept_by(
    draw: Draw, t: int, n_layers: int = 1, batch: int = BATCH, t_source: int = T_SOURCE
) -> tuple[Tensor, ...]:
    """Keys and values of t positions, and of the memory, for each layer."""
    target = n_layers, batch, N_HEADS, t, D_K
    source = n_layers, batch, N_HEADS, t_source, D_K
    return tuple(draw.normal(*shape) for shape in (target, target, source, source))


# keys_values


@item("keys_values", public=True, hint="Which axis of the projection is split, and which two move?")
def test_keys_and_values(agree: Agree, draw: Draw) -> None:
    """The keys and the values of a batch, split into heads."""
    x = draw.normal(BATCH, T_TARGET, D_MODEL)
    agree("keys_and_values", attention(agree), x, outputs=("keys", "values"))


@item("keys_values", hint="Does the number of heads come from the attention?")
def test_keys_and_values_of_other_sizes(agree: Agree, draw: Draw) -> None:
    """Other numbers of heads, a single row and a single position."""
    for n_heads, batch, t in ((4, 1, T_TARGET), (2, BATCH, 1), (1, 3, 2)):
        x = draw.normal(batch, t, D_MODEL)
        agree("keys_and_values", attention(agree, n_heads), x, outputs=("keys", "values"))


@item("keys_values", hint="Is something kept that was made of parameters?")
def test_keys_and_values_after_other_weights(agree: Agree, draw: Draw) -> None:
    """After a call with other parameters, those that were loaded since then are used."""
    x, other = draw.normal(BATCH, T_TARGET, D_MODEL), draw.normal(BATCH, T_TARGET, D_MODEL)
    asked = "keys_and_values", attention(agree), x
    agree(*asked, outputs=("keys", "values"), before={1: other}, before_loading=True)


# attend_output


@item("attend_output", public=True, hint="Queries, scores, softmax, values, heads, out_proj: all?")
def test_attend(agree: Agree, draw: Draw) -> None:
    """Several queries over keys and values that are there."""
    x = draw.normal(BATCH, T_TARGET, D_MODEL)
    agree("attend", attention(agree), x, *kept(draw, T_SOURCE))


@item("attend_output", hint="Which sizes come from the inputs, and which are written out?")
def test_attend_of_other_sizes(agree: Agree, draw: Draw) -> None:
    """One query, one key, other numbers of heads, a single row."""
    for n_heads, t_q, t_k in ((N_HEADS, 1, T_SOURCE), (4, T_TARGET, 1), (1, 2, 3), (2, 1, 4)):
        x = draw.normal(BATCH, t_q, D_MODEL)
        agree("attend", attention(agree, n_heads), x, *kept(draw, t_k, n_heads))
    agree("attend", attention(agree), draw.normal(1, 1, D_MODEL), *kept(draw, 4, batch=1))


# attend_mask


@item("attend_mask", public=True, hint='True means "may attend": what is filled with -inf?')
def test_attend_under_a_mask(agree: Agree, draw: Draw) -> None:
    """A mask on the keys of each row."""
    mask = draw_mask(draw, BATCH, 1, 1, T_SOURCE)
    x = draw.normal(BATCH, T_TARGET, D_MODEL)
    agree("attend", attention(agree), x, *kept(draw, T_SOURCE), mask)


@item("attend_mask", hint="Does the mask meet the scores of all heads as it is?")
def test_attend_under_other_masks(agree: Agree, draw: Draw) -> None:
    """A mask for keys, with queries, for each head, of a single query; one that blocks nothing."""
    grid = T_TARGET, T_SOURCE
    for shape in ((T_SOURCE,), grid, (N_HEADS, *grid), (BATCH, N_HEADS, *grid)):
        x, cache = draw.normal(BATCH, T_TARGET, D_MODEL), kept(draw, T_SOURCE)
        agree("attend", attention(agree), x, *cache, mask=draw_mask(draw, *shape))
    # As many rows as queries, or as heads: what an axis stands for does not hang on its size.
    for batch, shape in ((T_TARGET, grid), (N_HEADS, (N_HEADS, *grid))):
        x, cache = draw.normal(batch, T_TARGET, D_MODEL), kept(draw, T_SOURCE, batch=batch)
        agree("attend", attention(agree), x, *cache, mask=draw_mask(draw, *shape))
    x, cache = draw.normal(BATCH, 1, D_MODEL), kept(draw, T_SOURCE)
    agree("attend", attention(agree), x, *cache, mask=draw_mask(draw, BATCH, 1, 1, T_SOURCE))
    nothing = torch.ones(BATCH, 1, 1, T_SOURCE, dtype=torch.bool)
    agree("attend", attention(agree), x, *cache, mask=nothing)


@item("attend_mask", hint="Is the mask applied to the scores before the softmax, and with what?")
def test_attend_to_large_blocked_keys(agree: Agree, draw: Draw) -> None:
    """A blocked key gets no weight, however well it fits the query."""
    mask, (keys, values) = draw_mask(draw, BATCH, 1, 1, T_SOURCE), kept(draw, T_SOURCE)
    x = draw.normal(BATCH, 1, D_MODEL)
    for large in (1e6, -1e6):  # with one of them, it fits each query
        agree("attend", attention(agree), x, torch.where(mask.mT, keys, large * keys), values, mask)


@item("attend_mask", hint="Is what you fill in lower than any score may be?")
def test_attend_to_keys_that_hardly_fit(agree: Agree, draw: Draw) -> None:
    """A blocked key gets no weight, also where the scores of all others are far below its own."""
    module = attention(agree)
    weights = module.weights or {}
    queries = {  # each number of each query is 2, whatever x is
        "q_proj.weight": torch.zeros_like(weights["q_proj.weight"]),
        "q_proj.bias": torch.full_like(weights["q_proj.bias"], 2.0),
    }
    mask, (keys, values) = draw_mask(draw, BATCH, 1, 1, T_SOURCE), kept(draw, T_SOURCE)
    mask[..., 0], mask[..., 1] = False, True
    keys = keys - HUGE
    keys[..., 0, :] = 0.0
    x = draw.normal(BATCH, 1, D_MODEL)
    agree("attend", module.with_weights(queries), x, keys, values, mask)


@item("attend_mask", hint="What may be taken away from a query's scores before the exponentials?")
def test_attend_to_scores_far_apart(agree: Agree, draw: Draw) -> None:
    """A query is answered as if it were alone, also where another's scores are far larger."""
    weights = {"q_proj.weight": torch.eye(D_MODEL), "q_proj.bias": torch.zeros(D_MODEL)}
    x, (keys, values) = draw.normal(BATCH, T_TARGET, D_MODEL) / 4, kept(draw, T_SOURCE)
    x[0, 0] = 8.0  # then its scores are about 1024 each, and the others' not even 100
    asked = attention(agree).with_weights(weights), x, keys + 64, values
    agree("attend", *asked, draw_mask(draw, BATCH, 1, 1, T_SOURCE))


# attend_output: where two situations meet


@item("attend_output", crowded=True)
@meeting(IN_ATTENTION)
def test_attend_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, masks, dtypes, layouts and calls may meet at will."""
    batch, t_q, t_k, n_heads, axes, blocks, dtype, is_relaid, asked = met
    full, keys = (batch, n_heads, t_q, t_k), (batch, 1, 1, t_k)
    shapes = {"square": (t_q, t_k), "keys": keys, "full": full}

    def drawn() -> dict[Any, Any]:
        x = draw.normal(batch, t_q, D_MODEL)
        found = dict(enumerate((x, *kept(draw, t_k, n_heads, batch)), start=1))
        found = {at: each.to(dtype) for at, each in found.items()}
        masked = {"mask": mask_that(draw, blocks, *shapes[axes])} if axes else {}
        return {at: relaid(x) if is_relaid else x for at, x in (found | masked).items()}

    given, made = drawn(), made_for(attention(agree, n_heads), dtype, False)
    args = [given.pop(at) for at in (1, 2, 3)]
    beside: dict[str, Any] = {"asked": asked, "earlier": drawn()}
    ask_there(agree, "attend", made, *args, **beside, **given)


# layer_output


@item(
    "layer_output", public=True, hint="Three parts, each added to what went in, each with its norm."
)
def test_layer_step(agree: Agree, draw: Draw) -> None:
    """The new position of a layer, after some others."""
    layer_agrees(agree, draw, T_TARGET)


@item("layer_output", hint="Is the new position's own key there when it attends?")
def test_layer_step_at_first(agree: Agree, draw: Draw) -> None:
    """The first position, where nothing is kept yet; other numbers of heads, a single row."""
    layer_agrees(agree, draw, 0)
    layer_agrees(agree, draw, 4, n_heads=2)
    layer_agrees(agree, draw, 1, n_heads=4, batch=1)


def layer_agrees(
    agree: Agree,
    draw: Draw,
    t: int,
    n_heads: int = N_HEADS,
    batch: int = BATCH,
    look_at: Sequence[str] = ("x",),
    **masks: Any,
) -> None:
    x = draw.normal(batch, 1, D_MODEL)
    cache = *kept(draw, t, n_heads, batch), *kept(draw, T_SOURCE, n_heads, batch)
    layer = decoder_layer(agree, n_heads)
    agree("layer_step", layer, x, *cache, outputs=STEP, look_at=look_at, **masks)


# layer_masks


@item("layer_masks", public=True, hint="Which keys does each of the two masks speak of?")
def test_layer_step_under_one_mask(agree: Agree, draw: Draw) -> None:
    """A target_mask alone, and a memory_mask alone."""
    target_mask = draw_mask(draw, BATCH, 1, 1, T_TARGET + 1)
    layer_agrees(agree, draw, T_TARGET, target_mask=target_mask)
    memory_mask = draw_mask(draw, BATCH, 1, 1, T_SOURCE)
    layer_agrees(agree, draw, T_TARGET, memory_mask=memory_mask)


@item("layer_masks", hint="Which keys does each of the two masks speak of?")
def test_layer_step_under_both_masks(agree: Agree, draw: Draw) -> None:
    """Both masks, also where target and source are of one length."""
    for t in (3, T_SOURCE - 1):
        own, other = (draw_mask(draw, BATCH, 1, 1, length) for length in (t + 1, T_SOURCE))
        layer_agrees(agree, draw, t, target_mask=own, memory_mask=other)


# layer_cache


@item("layer_cache", public=True, hint="Behind which, along which axis, and made of what?")
def test_layer_keeps(agree: Agree, draw: Draw) -> None:
    """The keys and values that are kept, with the new position behind the others."""
    layer_agrees(agree, draw, T_TARGET, look_at=("keys", "values"))


@item("layer_cache", hint="Behind which, along which axis, and made of what?")
def test_layer_keeps_the_first(agree: Agree, draw: Draw) -> None:
    """The first position, other numbers of heads, and under a mask."""
    layer_agrees(agree, draw, 0, look_at=("keys", "values"))
    mask = draw_mask(draw, BATCH, 1, 1, 3)
    layer_agrees(agree, draw, 2, n_heads=2, look_at=("keys", "values"), target_mask=mask)


@item("layer_cache", hint="Methods that end in _, and assignments to a slice, write in place.")
def test_layer_leaves_what_was_kept(agree: Agree, draw: Draw) -> None:
    """What was passed is left as it was."""
    cache = *kept(draw, T_TARGET), *kept(draw, T_SOURCE)
    agree.unchanged("layer_step", decoder_layer(agree), draw.normal(BATCH, 1, D_MODEL), *cache)


# cache_start


@item("cache_start", public=True, hint="Whose projections are the memory's, and which is stacked?")
def test_start(agree: Agree, draw: Draw) -> None:
    """Nothing of the target, and the memory's keys and values for each of two layers."""
    model = transformer(agree, n_layers=2)
    seen = agree("start_cache", model, source_words(draw), outputs=CACHE, watch=("encoder",))
    if seen.watched[0].calls > 1:
        said = f"expected one call of the encoder, got {seen.watched[0].calls}"
        agree.wrong("start_cache", said, model)


@item("cache_start", hint="Which method of the model reads under the source's mask?")
def test_start_with_padding(agree: Agree, draw: Draw) -> None:
    """Padding in the source, one layer, other numbers of heads."""
    for n_heads, pad_id in ((2, PAD), (4, OTHER_PAD)):
        model = transformer(agree, n_heads=n_heads, pad_id=pad_id)
        agree("start_cache", model, padded(source_words(draw), pad_id), outputs=CACHE)


@item("cache_start", hint="Is something still there from the call before?")
def test_start_of_another_source(agree: Agree, draw: Draw) -> None:
    """Another source of the same shape gets keys and values of its own, in the same tensor, too."""
    model, source = transformer(agree), source_words(draw)
    for in_place in (False, True):
        before: dict[int | str, Tensor] = {1: source_words(draw)}
        agree("start_cache", model, source, outputs=CACHE, before=before, in_place=in_place)


@item("cache_start", hint="Is something still there from the call before?")
def test_start_after_other_weights(agree: Agree, draw: Draw) -> None:
    """The same source gets other keys and values once other weights have been loaded."""
    model, source = transformer(agree), source_words(draw)
    agree("start_cache", model, source, outputs=CACHE, before={1: source}, before_loading=True)


# step_output


@item("step_output", public=True, hint="Which place does the new token have, and who tells it?")
def test_step(agree: Agree, draw: Draw) -> None:
    """A later position, in one layer."""
    step_agrees(agree, draw, T_TARGET)


@item(
    "step_output", public=True, hint="Does each layer get what is kept for it, and what came out?"
)
def test_step_of_two_layers(agree: Agree, draw: Draw) -> None:
    """A later position, in two layers."""
    step_agrees(agree, draw, 3, n_layers=2)


@item("step_output", hint="Is the first position a special case, or the last one?")
def test_step_at_the_ends(agree: Agree, draw: Draw) -> None:
    """The first position, and the last one that max_len allows; three layers, a single row."""
    step_agrees(agree, draw, 1)
    step_agrees(agree, draw, MAX_LEN, max_len=MAX_LEN)
    step_agrees(agree, draw, 4, n_layers=3, batch=1)


def step_agrees(
    agree: Agree, draw: Draw, t: int, n_layers: int = 1, batch: int = BATCH, **kwargs: Any
) -> None:
    model = transformer(agree, n_layers=n_layers, **kwargs)
    target, source = target_words(draw, batch, t), source_words(draw, batch)
    cache = kept_by(draw, t - 1, n_layers, batch)
    agree("decoder_step", model, target, source, *cache, outputs=STEP)


# step_masks


@item("step_masks", public=True, hint="Which mask does model.decode hand to the cross-attention?")
def test_step_with_padding_in_the_source(agree: Agree, draw: Draw) -> None:
    """Padding in the source."""
    masks_agree(agree, draw, [], PAD)


@item("step_masks", public=True, hint="Which tokens of the target does nobody listen to?")
def test_step_with_padding_in_the_target(agree: Agree, draw: Draw) -> None:
    """Padding in the middle of the target."""
    masks_agree(agree, draw, [2, 3], PAD)


@item("step_masks", hint="Is pad_id the model's? And who listens to the new token if it is a pad?")
def test_step_of_a_pad(agree: Agree, draw: Draw) -> None:
    """The new token is padding itself; another pad_id, and 0 is a word then."""
    masks_agree(agree, draw, [T_TARGET - 1], PAD)
    masks_agree(agree, draw, [1, T_TARGET - 1], OTHER_PAD)


@item("step_masks", hint="Is pad_id the model's, for the source as well?")
def test_step_with_another_pad_in_the_source(agree: Agree, draw: Draw) -> None:
    """Padding in the source under another pad_id; 0 is a word then."""
    masks_agree(agree, draw, [], OTHER_PAD)


@item("step_masks", hint="What tells one source from another: its numbers, or the tensor?")
def test_step_with_other_words_in_the_source(agree: Agree, draw: Draw) -> None:
    """The source is read as it is now, also when its tensor held other words in an earlier step."""
    target, source = target_words(draw), padded(source_words(draw))
    asked = transformer(agree), target, source, *kept_by(draw, T_TARGET - 1)
    before: dict[int | str, Tensor] = {2: source_words(draw)}
    agree("decoder_step", *asked, outputs=STEP, look_at=("x",), before=before, in_place=True)


def masks_agree(agree: Agree, draw: Draw, pads: Sequence[int], pad_id: int) -> None:
    model = transformer(agree, pad_id=pad_id)
    target, source = target_words(draw), source_words(draw)
    target[:, 0], target[:, 3] = 3, 0 if pad_id else 3
    target[1, list(pads)] = pad_id
    source = source if pads else padded(source, pad_id)
    source[:, 2] = 0 if pad_id else source[:, 2]
    cache = kept_by(draw, T_TARGET - 1)
    agree("decoder_step", model, target, source, *cache, outputs=STEP, look_at=("x",))


# step_sizes


@item("step_sizes", crowded=True)
@meeting(IN_STEPS)
def test_step_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Rows, positions, padding, layers and calls may meet at will."""
    batch, t, n_layers, in_source, in_target, pad_id, asked = met

    def drawn() -> list[Tensor]:
        target, source = target_words(draw, batch, t), source_words(draw, batch)
        if in_target:
            target[0, 1:-1] = pad_id
        return [target, padded(source, pad_id) if in_source else source]

    model = transformer(agree, n_layers=n_layers, pad_id=pad_id, max_len=MAX_LEN)
    given = (*drawn(), *kept_by(draw, t - 1, n_layers, batch))
    how: dict[str, Any] = {"outputs": STEP, "look_at": ("x",)}
    earlier = dict(enumerate(drawn(), start=1))
    beside: dict[str, Any] = {"asked": asked, "earlier": earlier}
    ask_there(agree, "decoder_step", model, *given, **beside, how=how)


@item("step_sizes", public=True, hint="What does a slice beyond the end of a table give?")
def test_step_too_far(agree: Agree, draw: Draw) -> None:
    """A target longer than max_len is refused, with both numbers."""
    model, t = transformer(agree, max_len=MAX_LEN), MAX_LEN + 1
    asked = model, target_words(draw, t=t), source_words(draw), *kept_by(draw, t - 1)
    agree.raises(ValueError, "decoder_step", *asked, naming=(t, MAX_LEN))


@item("step_sizes", hint="How many positions does the cache have before the new one is there?")
@pytest.mark.parametrize(
    ("t", "t_kept"), [(T_TARGET, 0), (T_TARGET, T_TARGET), (T_TARGET, T_TARGET - 2), (1, 4)]
)
def test_step_with_another_cache(agree: Agree, draw: Draw, t: int, t_kept: int) -> None:
    """A cache that does not belong to the target is refused, with both numbers."""
    given = transformer(agree), target_words(draw, t=t), source_words(draw)
    asked, fits = (*given, *kept_by(draw, t_kept)), (*given, *kept_by(draw, t - 1))
    agree.raises(ValueError, "decoder_step", *asked, naming=(t, t_kept), unlike=fits)


# cached_words


def writer(
    reference: Student, agree: Agree, draw: Draw, never: Sequence[int], **kwargs: Any
) -> Blueprint:
    """A model that listens well and writes all kinds of tokens, but some of them never.

    Weights as they are drawn make one that writes the same token again and again. So what comes
    from the source is made larger, and what is the same in all logits is taken away.
    """
    module = transformer(agree, **kwargs)
    weights = module.weights or {}
    heard = "decoder.layers.0.cross_attn.out_proj.weight"
    module = module.with_weights({heard: 3 * weights[heard]})
    logits = reference.call(module, source_words(draw, 16), target_words(draw, 16)).value
    bias = weights["output.bias"] - logits.mean((0, 1)).detach()
    bias = (64 * bias).round() / 64
    bias[list(never)] = -100.0
    return module.with_weights({"output.bias": bias})


@item("cached_words", public=True, hint="Compare with greedy_decode, step by step: where first?")
def test_words(reference: Student, agree: Agree, draw: Draw) -> None:
    """Each next word is the one that greedy_decode writes."""
    model = writer(reference, agree, draw, [PAD, END])
    agree(DECODE, model, padded(source_words(draw)), START, END, 6, same_mode=False)


@item("cached_words", hint="Does each layer get its own cache, from step to step?")
def test_words_of_two_layers(reference: Student, agree: Agree, draw: Draw) -> None:
    """Two layers, four rows of different lengths, and as many tokens as the model can read."""
    model = writer(reference, agree, draw, [PAD, END], n_layers=2, max_len=MAX_LEN)
    source = source_words(draw, batch=4)
    # Whichever way they are sorted, sorting them so twice does not bring them back.
    source[0, 6:] = source[1, 4:] = source[3, 5:] = PAD
    agree(DECODE, model, source, 6, END, MAX_LEN, same_mode=False)


@item("cached_words", hint="Padding is blocked by a mask. Is any of it taken out as well?")
def test_words_after_a_gap(reference: Student, agree: Agree, draw: Draw) -> None:
    """A pad between the words of a source takes none of them away."""
    model = writer(reference, agree, draw, [PAD, END])
    agree(DECODE, model, *gaps_matter(reference, draw, model), same_mode=False)


def gaps_matter(
    reference: Student, draw: Draw, model: Blueprint, steps: int = 6
) -> tuple[Tensor, int, int, int]:
    """A source and what else is asked, where words differ without the last one behind a gap."""
    for start_id in 5 * [START, *range(END + 1, TARGET_VOCAB)]:
        source = source_words(draw, batch=12)
        source[:, 2] = PAD
        written, other = (
            reference.call(DECODE, model, each, start_id, END, steps).value
            for each in (source, source[:, :-1].clone())
        )
        (rows,) = (written != other).any(1).nonzero(as_tuple=True)
        if len(rows) > 1:
            return source[rows[:2]], start_id, END, steps
    raise LookupError("no sources were found whose words depend on the last one")


@item("cached_words", hint="Who reads the last word?")
def test_words_up_to_the_last(reference: Student, agree: Agree, draw: Draw) -> None:
    """One token more than the model can read: the last one is written and not read."""
    model = writer(reference, agree, draw, [PAD, END], max_len=MAX_LEN)
    agree(DECODE, model, source_words(draw), START, END, MAX_LEN + 1, same_mode=False)


@item("cached_words", hint="Is a batch of one, or a start alone, a special case?")
def test_words_of_one(reference: Student, agree: Agree, draw: Draw) -> None:
    """A single row, and max_len 1 and 2: the start token counts."""
    model, source = writer(reference, agree, draw, [PAD, END]), source_words(draw)
    for rows, max_len in ((1, 4), (BATCH, 1), (BATCH, 2)):
        asked = model, source[:rows].clone(), START, END, max_len
        agree(DECODE, *asked, same_mode=False)


@item("cached_words", hint="Who listens to a pad that stands in the middle of a sentence?")
def test_pads_among_the_words(reference: Student, agree: Agree, draw: Draw) -> None:
    """A pad that the model writes is a word, but nobody listens to it."""
    model, *asked = with_pads(reference, agree, draw)
    agree(DECODE, model, *asked, same_mode=False)
    bias = (model.weights or {})["output.bias"].clone()
    bias[PAD] = 100.0  # so that nothing else is written, up to the last word
    agree(DECODE, model.with_weights({"output.bias": bias}), *asked, same_mode=False)


def with_pads(
    reference: Student, agree: Agree, draw: Draw, steps: int = 8
) -> tuple[Blueprint, Tensor, int, int, int]:
    """A model and a source, and what else is asked: a row writes a pad, and more words after it.

    They would be others if the pad were listened to: then its id would stand for nothing else.
    """
    drawn = writer(reference, agree, draw, [])
    weights = drawn.weights or {}
    heard, likely = "decoder.layers.0.self_attn.out_proj.weight", weights["output.bias"]
    # Of most models, the pad is written too rarely, or what was written before hardly matters.
    for louder, likelier in product((1, 3, 9), (0.0, 0.5, 1.0, 2.0)):
        bias = likely.clone()
        bias[PAD] += likelier
        model = drawn.with_weights({heard: louder * weights[heard], "output.bias": bias})
        kwargs = {**(model.kwargs or {}), "pad_id": TARGET_VOCAB}
        no_pad = Blueprint(**{**vars(model), "kwargs": kwargs})
        for start_id in range(START, TARGET_VOCAB):
            source = source_words(draw, batch=12)
            written, other = (
                reference.call(DECODE, each, source, start_id, -1, steps).value
                for each in (model, no_pad)
            )
            (rows,) = (written != other).any(1).nonzero(as_tuple=True)
            if len(rows) > 1:
                return model, source[rows[:2]], start_id, -1, steps
    raise LookupError("no sources were found whose words depend on who listens to a pad")


# cached_end

STEPS = 8


def endings(
    reference: Student, agree: Agree, draw: Draw, pad_id: int
) -> tuple[Blueprint, Tensor, int, int]:
    """A model, three sources, start_id and end_id: two rows end, at different steps, one does not.

    The reference is asked what it would write without an end, and then what that shall be.
    """
    model = writer(reference, agree, draw, [pad_id], pad_id=pad_id)
    ids = sorted({*range(TARGET_VOCAB)} - {pad_id})
    for start_id in 5 * ids:
        source = source_words(draw, batch=12)
        written = reference.call(DECODE, model, source, start_id, -1, STEPS).value
        for end_id in {*ids} - {start_id}:
            is_end = written == end_id
            length = torch.where(is_end.any(1), is_end.long().argmax(1), STEPS)
            first, second = sorted({*map(int, length), STEPS, STEPS + 1})[:2]
            if first < second < STEPS - 1 and (length == STEPS).any():
                rows = [int((length == each).nonzero()[0]) for each in (second, first, STEPS)]
                # Or the two end in one step, when the first has gone on and ends once more.
                if written[rows[1], second] != end_id:
                    return model, source[rows], start_id, end_id
    raise LookupError("no model that writes rows of different lengths was found")


def endings_in_turn(
    reference: Student, agree: Agree, draw: Draw
) -> tuple[Blueprint, Tensor, int, int]:
    """A model, four sources, start_id and end_id: rows end one after the other, the last does not.

    Each has padding of its own. When two rows have ended, and the third has not, the last would
    write something else if what is padding in the third were blocked.
    """
    model, lengths = writer(reference, agree, draw, [PAD]), range(2, T_SOURCE + 1)
    weights, ids = model.weights or {}, range(PAD + 1, TARGET_VOCAB)
    for start_id in 5 * [*ids]:
        source = source_words(draw, batch=24)
        real = [lengths[row % len(lengths)] for row in range(24)]
        for tokens, length in zip(source, real, strict=True):
            tokens[length:] = PAD
        written = reference.call(DECODE, model, source, start_id, -1, STEPS).value
        memory = reference.call(model.of("encode"), source).value
        for end_id in {*ids} - {start_id}:
            is_end = written == end_id
            ends = torch.where(is_end.any(1), is_end.long().argmax(1), STEPS).tolist()
            *steps, third = sorted({*ends, *range(STEPS, STEPS + 3)})[:3]
            if third >= STEPS - 1 or STEPS not in ends:
                continue
            at = ([i for i, end in enumerate(ends) if end == n] for n in (*steps, third, STEPS))
            for rows in product(*at):
                last = written[rows[3] :][:1]
                asked = last, memory[rows[3] :][:1], source[rows[2] :][:1]
                x = reference.call(model.of("decode"), *asked).value
                words = (x @ weights["output.weight"].T + weights["output.bias"]).argmax(-1)
                differs = words[0, steps[1] : third] != last[0, steps[1] + 1 : third + 1]
                if len({real[row] for row in rows}) == len(rows) and differs.any():
                    return model, source[list(rows)], start_id, end_id
    raise LookupError("no model whose rows end in turn, each with its own padding, was found")


@item("cached_end", public=True, hint="What does a row hold after its end_id?")
def test_rows_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """A row that has ended is padded, while the others go on undisturbed."""
    agree(DECODE, *endings(reference, agree, draw, PAD), STEPS, same_mode=False)


@item("cached_end", hint="When rows leave the batch, what of them has to leave, and who is next?")
def test_rows_end_in_turn(reference: Student, agree: Agree, draw: Draw) -> None:
    """Rows end one after the other, and each of the others goes on reading its own source."""
    agree(DECODE, *endings_in_turn(reference, agree, draw), STEPS, same_mode=False)


@item("cached_end", hint="When every row has ended, is anything more written?")
def test_all_rows_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """When all rows have ended it stops, before max_len, and a single row does too."""
    model, source, *ids = endings(reference, agree, draw, PAD)
    agree(DECODE, model, source[:2].clone(), *ids, STEPS, same_mode=False)
    agree(DECODE, model, source[1:2].clone(), *ids, STEPS, same_mode=False)


@item("cached_end", hint="With which id is a row filled up?")
def test_rows_end_with_another_pad_id(reference: Student, agree: Agree, draw: Draw) -> None:
    """Rows that have ended are filled with the model's pad_id, whatever it is."""
    agree(DECODE, *endings(reference, agree, draw, OTHER_PAD), STEPS, same_mode=False)


@item("cached_end", hint="Which tokens has a row produced before the first step?")
def test_a_start_is_no_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """The start was not produced: it ends no row, not even where start_id is end_id."""
    model = writer(reference, agree, draw, [PAD])
    agree(DECODE, model, *start_that_is_written(reference, draw, model), STEPS, same_mode=False)


def start_that_is_written(
    reference: Student, draw: Draw, model: Blueprint
) -> tuple[Tensor, int, int]:
    """Two sources, and a token to start with that is the end, too: only the first row writes it."""
    for start_id in {*range(TARGET_VOCAB)} - {PAD}:
        source = source_words(draw, batch=24)
        written = reference.call(DECODE, model, source, start_id, -1, STEPS).value[:, 1:]
        again = written == start_id
        first = (again[:, 1:-2].any(1) & ~again[:, 0]).nonzero()
        never = (~again.any(1)).nonzero()
        if len(first) and len(never):
            return source[[int(first[0]), int(never[0])]], start_id, start_id
    raise LookupError("no source was found whose words have the start among them")


# cached_care


@item(
    "cached_care",
    public=True,
    hint="Which mode does the model need, and which was it in?",
    fits=("values", "mode"),
)
def test_in_either_mode(reference: Student, agree: Agree, draw: Draw) -> None:
    """A model is asked in eval mode, and left in the mode in which it came; no gradient is kept."""
    model, source = writer(reference, agree, draw, [PAD, END], dropout=0.5), source_words(draw)
    for each in (model.training(), model):
        with_care(agree, each, source)


def with_care(agree: Agree, model: Blueprint, source: Tensor) -> None:
    args = DECODE, model, source, START, END, 5
    seen = agree(*args, watch=("encoder", "output")).watched
    for name, part in zip(("encoder", "output layer"), seen, strict=False):
        if part.kept_gradient:
            agree.wrong(DECODE, f"the {name}'s output asks for gradients", *args[1:])


@item(
    "cached_care",
    hint="Which mode does the model need, and which was it in?",
    fits=("values", "mode"),
)
def test_a_single_source_in_train_mode(reference: Student, agree: Agree, draw: Draw) -> None:
    """A single source is read with the same care."""
    model = writer(reference, agree, draw, [PAD, END], dropout=0.5)
    with_care(agree, model.training(), source_words(draw, batch=1))


@item("cached_care", hint="Which lines run when all rows end before max_len?", fits="mode")
def test_mode_after_an_early_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """When all rows have ended before max_len, the model is left in the mode in which it came."""
    model, source, *ids = endings(reference, agree, draw, PAD)
    agree(DECODE, model.training(), source[:2].clone(), *ids, STEPS)
    agree(DECODE, model.training(), source, *ids, 1)  # and where there is nothing to write


@item("cached_care", hint="Is something still there from the call before?")
def test_another_source(reference: Student, agree: Agree, draw: Draw) -> None:
    """A second call, with another source of any length, is right as well."""
    model = writer(reference, agree, draw, [PAD, END])
    for t in (T_SOURCE, 4):
        source, other = source_words(draw, t=t), source_words(draw)
        agree(DECODE, model, source, START, END, 4, same_mode=False, before={1: other})
    agree(DECODE, model, source_words(draw), START, END, 6, same_mode=False, before={4: 3})


@item("cached_care", hint="Is something still there from the call before?")
def test_after_other_weights(reference: Student, agree: Agree, draw: Draw) -> None:
    """After the same call with other weights, those that were loaded since then are used."""
    model, source = writer(reference, agree, draw, [PAD, END]), source_words(draw)
    asked = model, source, START, END, 6
    agree(DECODE, *asked, same_mode=False, before={1: source}, before_loading=True)


@item(
    "cached_care",
    hint="On which device, and of which dtype, is a new tensor?",
    fits=("device", "dtype"),
)
def test_words_elsewhere(reference: Student, agree: Agree, draw: Draw) -> None:
    """The words are on the device of the source; the model may be in float32."""
    model, source = writer(reference, agree, draw, [PAD, END]), source_words(draw)
    agree(DECODE, model, source, START, END, 3, elsewhere=True, same_mode=False)
    agree(DECODE, model.in_float32(), source, START, END, 3, same_mode=False)


@item("cached_care", hint="Methods that end in _, and assignments to a slice, write in place.")
def test_source_unchanged(reference: Student, agree: Agree, draw: Draw) -> None:
    """The source is left as it was."""
    model = writer(reference, agree, draw, [PAD, END])
    agree.unchanged(DECODE, model, source_words(draw), START, END, 4)


# cached_work

# With s and n tokens and the d_model d, each step takes 6 d² products for the attentions' own
# matrices, what the network and the output take, and 2 d for each key. That and the reading of the
# source make R. A cache for n tokens that is attended to in full in each step: R + d n², 1.09 R
# here; one for all that the model could read, 512: 3.9 R. The keys (or the values) of the memory
# made anew in each step: R + n s d², 1.84 R; both, or those of kept inputs: from 2.0 R; decoding
# anew: 12.6 R. Half as much again lies between.
T_LONG_SOURCE, T_LONG_TARGET, MOST = 25, 32, 1.5


@item("cached_work", notebook="counted.work", hint="What goes through the decoder in a step?")
def test_work(reference: Student, agree: Agree, draw: Draw) -> None:
    """The multiplications are those of one position a step."""
    model = writer(reference, agree, draw, [PAD, END])  # which could write far more
    source = source_words(draw, batch=1, t=T_LONG_SOURCE)
    asked = model, source, START, END, T_LONG_TARGET
    agree(DECODE, *asked, same_mode=False, most_work=MOST)
