"""Checks of a5_transformer. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct. No query of a model is left without a key: what attention makes of
those is a matter of its own assignment. What stands at the places of padding is never compared.
Most modules have one layer, or layers with the same weights, so that an error in the stacking
costs the item about depth and not every other.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checking import Agree, Blueprint, Draw, Student, compare

from ..inputs import draw_mask, draw_tokens
from ..meetings import Meeting, ask_there, made_for, meeting

BATCH, N_HEADS, T_TARGET, T_SOURCE, D_MODEL, D_FF = 2, 3, 5, 7, 12, 20
VOCABS = SOURCE_VOCAB, TARGET_VOCAB = 11, 13
OTHER = 16, 2, 8, 1  # whose width many numbers divide: constants work here, too
MAX_LEN = 9
LONG = 53  # more than 50 beyond a source of two tokens: there the paper stops
PAD, START, END, OTHER_PAD = 0, 1, 2, 4
STARTS = START, *range(END + 1, TARGET_VOCAB)  # that a check may choose from
# How many sources are drawn, and their start, until some are found that matter: nearly always these
# are among the first, and once in hundreds of models not among 88.
SEARCHES = tuple(product((8, 64, 512), STARTS))
DECODE = "greedy_decode"
# Between two answers of the same submission: rounding is far below, what leaks is far above.
ROUNDING = 1e-6
# Rows, words of the source and the target, layers; if there is padding; pad_id, dtype; if in train
# mode; what is asked.
MEETINGS = [
    (1, 1, 1, 1, True, 0, torch.float32, False, "other weights"),
    (1, 7, 1, 2, False, 4, torch.float32, False, "gradients"),
    (1, 7, 1, 2, True, 4, torch.float64, True, "in place"),
    (1, 7, 5, 2, False, 0, torch.float64, True, "other weights"),
    (3, 1, 5, 1, False, 4, torch.float64, False, "other weights"),
    (3, 1, 5, 1, True, 0, torch.float64, True, "gradients"),
    (3, 1, 5, 2, False, 4, torch.float32, True, "in place"),
    (3, 7, 1, 1, False, 0, torch.float32, False, "in place"),
]

item = pytest.mark.item


def encoder(agree: Agree, n_layers: int = 1, n_heads: int = N_HEADS, **kwargs: Any) -> Blueprint:
    return agree.module("Encoder", SOURCE_VOCAB, D_MODEL, n_heads, D_FF, n_layers, **kwargs)


def decoder(agree: Agree, n_layers: int = 1, n_heads: int = N_HEADS, **kwargs: Any) -> Blueprint:
    return agree.module("Decoder", TARGET_VOCAB, D_MODEL, n_heads, D_FF, n_layers, **kwargs)


def transformer(
    agree: Agree, n_layers: int = 1, n_heads: int = N_HEADS, **kwargs: Any
) -> Blueprint:
    return agree.module("Transformer", *VOCABS, D_MODEL, n_heads, D_FF, n_layers, **kwargs)


def alike(module: Blueprint) -> Blueprint:
    """The same with the weights of layer 0 in every layer."""
    weights = module.weights or {}
    return module.with_weights(
        {name: weights[name.replace("layers.1.", "layers.0.")] for name in weights}
    )


def source_words(draw: Draw, batch: int = BATCH, t: int = T_SOURCE) -> Tensor:
    """Tokens without padding, whether that is 0 or OTHER_PAD."""
    return _words(draw, batch, t, SOURCE_VOCAB)


def target_words(draw: Draw, batch: int = BATCH, t: int = T_TARGET) -> Tensor:
    """Tokens without padding, whether that is 0 or OTHER_PAD."""
    return _words(draw, batch, t, TARGET_VOCAB)


def _words(draw: Draw, batch: int, t: int, vocab_size: int) -> Tensor:
    tokens = draw_tokens(draw, batch, 2 * t, vocab_size)[:, :t]  # its pads are in the last third
    return torch.where(tokens == OTHER_PAD, 3, tokens)


def uneven_words(draw: Draw) -> Tensor:
    """A source whose first row ends in padding.

    Padding elsewhere is a matter of the masks: who gets it wrong there loses nothing here.
    """
    source = source_words(draw)
    source[0, -2:] = PAD
    return source


def padded(tokens: Tensor, more: int, pad_id: int = PAD) -> Tensor:
    """With padding behind."""
    return torch.cat([tokens, torch.full((len(tokens), more), pad_id)], dim=1)


def values(
    student: Student, agree: Agree, module: Blueprint, *args: Any, shape: Sequence[int]
) -> Tensor:
    """The student's answer, if it is a tensor of this shape; the reference is not asked."""
    got = student.call(module, *args).value
    problem = compare.compare(got, {"shape": list(shape)}, 0.0, "the result")
    if problem:
        agree.wrong(module, problem, *args)
    return torch.as_tensor(got).detach()


def moved(one: Tensor, other: Tensor) -> Tensor:
    """Which vectors differ by more than rounding."""
    return ((one - other).abs() > ROUNDING).any(-1)


def in_any_layout(
    student: Student, agree: Agree, module: Blueprint, tokens: Tensor, *others: Tensor
) -> None:
    """It gives the same for the same tokens whose memory has another order."""
    shape = *tokens.shape, D_MODEL
    # What has gaps would arrive without them; with its axes in another order it does not.
    turned = tokens.T.contiguous().T
    right = values(student, agree, module, tokens, *others, shape=shape)
    if moved(values(student, agree, module, turned, *others, shape=shape), right).any():
        agree.wrong(module, "it depends on the memory layout of the tokens", turned, *others)


# encoder_output


@item("encoder_output", public=True, hint="Look at the names in the docstring of the stub.")
def test_encoder_parameters(agree: Agree) -> None:
    """The encoder has the parameters of its parts, under their names."""
    agree.parameters(encoder(agree))


@item("encoder_output", hint="What tells the encoder where a token stands?")
def test_encoder_order(student: Student, agree: Agree, draw: Draw) -> None:
    """The order of the tokens counts: it does more than reorder the memory."""
    module, tokens = encoder(agree), source_words(draw)
    tokens[:, 0], tokens[:, -1] = 5, 6
    turned = tokens.flip(1)
    shape = *tokens.shape, D_MODEL
    memory = values(student, agree, module, tokens, shape=shape)
    other = values(student, agree, module, turned, shape=shape).flip(1)
    if not moved(memory, other).any():
        agree.wrong(module, "turning the sentence round only turns the memory round", tokens)


@item("encoder_output", public=True, hint="Embedding, then positions, then the layers: all there?")
def test_encoder(agree: Agree, draw: Draw) -> None:
    """The memory has the right values."""
    agree(encoder(agree), source_words(draw))


@item("encoder_output", hint="Does n_heads get into the layers?")
def test_encoder_heads(agree: Agree, draw: Draw) -> None:
    """The memory is right for other numbers of heads, for a single row and a single token."""
    agree(encoder(agree, n_heads=4), source_words(draw, batch=1))
    agree(encoder(agree, n_heads=1), source_words(draw, t=1))


@item("encoder_output", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_encoder_non_contiguous(student: Student, agree: Agree, draw: Draw) -> None:
    """Tokens that are not contiguous in memory, as source[:, :-1], give the same memory."""
    in_any_layout(student, agree, encoder(agree), source_words(draw))


# encoder_mask


@item("encoder_mask", public=True, hint="Is the mask handed to the layers?")
def test_encoder_mask(agree: Agree, draw: Draw) -> None:
    """The memory is right under a mask on the keys."""
    agree(encoder(agree), source_words(draw), draw_mask(draw, BATCH, 1, 1, T_SOURCE))


@item("encoder_mask", hint="What does the stub say about a mask that nobody gives?")
def test_encoder_without_a_mask(agree: Agree, draw: Draw) -> None:
    """Without a mask every token is heard, those of id 0, too."""
    agree(encoder(agree), uneven_words(draw))


@item("encoder_mask", hint="Is the mask handed to every layer?")
def test_encoder_mask_in_each_layer(agree: Agree, draw: Draw) -> None:
    """It is right under one mask for each row, each head, or all, also with two layers."""
    for more in ((BATCH, 1), (), (1, 1), (N_HEADS,)):
        mask = draw_mask(draw, *more, T_SOURCE, T_SOURCE)
        agree(alike(encoder(agree, 2)), source_words(draw), mask=mask)
    # As many rows as heads, or as tokens: what an axis stands for does not hang on its size.
    for batch, shape in (
        (N_HEADS, (N_HEADS, T_SOURCE, T_SOURCE)),
        (T_SOURCE, (T_SOURCE, T_SOURCE)),
    ):
        agree(encoder(agree), source_words(draw, batch), mask=draw_mask(draw, *shape))


@item("encoder_mask", hint="In which layer is a blocked token still heard?")
def test_encoder_blocked_token(student: Student, agree: Agree, draw: Draw) -> None:
    """A token that nobody may attend to moves no other row of the memory; another one does."""
    module, tokens = alike(encoder(agree, 2)), source_words(draw)
    mask = torch.ones(BATCH, 1, 1, T_SOURCE, dtype=torch.bool)
    mask[..., 2] = False
    tokens[:, 2:4] = 5
    shape = *tokens.shape, D_MODEL
    memory = values(student, agree, module, tokens, mask, shape=shape)
    for changed, may_move in ((2, False), (3, True)):
        other = tokens.clone()
        other[:, changed] = 6
        found = moved(memory, values(student, agree, module, other, mask, shape=shape))
        found[:, changed] = may_move  # its own row moves in any case
        if found.any() and not may_move:
            agree.wrong(module, "a blocked token was changed, and other rows moved", other, mask)
        if not found.all() and may_move:
            agree.wrong(module, "an allowed token was changed, and some row did not", other, mask)


# decoder_output


@item("decoder_output", public=True, hint="Look at the names in the docstring of the stub.")
def test_decoder_parameters(agree: Agree) -> None:
    """The decoder has the parameters of its parts, under their names."""
    agree.parameters(decoder(agree))


@item("decoder_output", public=True, hint="Embedding, then positions, then the layers: all there?")
def test_decoder(agree: Agree, draw: Draw) -> None:
    """The result has the right values, with a target shorter than the source."""
    agree(decoder(agree), target_words(draw), draw.normal(BATCH, T_SOURCE, D_MODEL))


@item("decoder_output", hint="Does n_heads get into the layers?")
def test_decoder_heads(agree: Agree, draw: Draw) -> None:
    """The result is right for other numbers of heads, a longer target, and a single token."""
    memory = draw.normal(BATCH, 3, D_MODEL)
    agree(decoder(agree, n_heads=4), target_words(draw), memory)
    agree(decoder(agree, n_heads=1), target_words(draw, t=1), memory)


@item("decoder_output", hint="Does every layer get the memory, and the target's own positions?")
def test_decoder_hears_both(student: Student, agree: Agree, draw: Draw) -> None:
    """Every row of the memory counts, and so does the order of the target's tokens."""
    module, tokens = decoder(agree), target_words(draw)
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    tokens[:, 0], tokens[:, -1] = 5, 6
    shape = *tokens.shape, D_MODEL
    before = values(student, agree, module, tokens, memory, shape=shape)
    for row in (0, T_SOURCE - 1):
        other = memory.clone()
        other[:, row] += 1.0
        if not moved(before, values(student, agree, module, tokens, other, shape=shape)).all():
            agree.wrong(module, f"row {row} of the memory does not count", tokens, memory)
    turned = values(student, agree, module, tokens.flip(1), memory, shape=shape).flip(1)
    if not moved(before, turned).any():
        agree.wrong(module, "turning the target round only turns the result round", tokens, memory)


@item("decoder_output", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_decoder_non_contiguous(student: Student, agree: Agree, draw: Draw) -> None:
    """Tokens that are not contiguous in memory, as target[:, :-1], give the same result."""
    tokens, memory = target_words(draw), draw.normal(BATCH, T_SOURCE, D_MODEL)
    in_any_layout(student, agree, decoder(agree), tokens, memory)


# decoder_masks


@item("decoder_masks", public=True, hint="Is the target's mask handed to the self-attention?")
def test_decoder_target_mask(agree: Agree, draw: Draw) -> None:
    """The result is right under a target_mask alone."""
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    mask = torch.ones(T_TARGET, T_TARGET, dtype=torch.bool).tril()
    agree(decoder(agree), target_words(draw), memory, target_mask=mask)


@item("decoder_masks", public=True, hint="Is the memory's mask handed to the cross-attention?")
def test_decoder_memory_mask(agree: Agree, draw: Draw) -> None:
    """The result is right under a memory_mask alone."""
    memory, mask = draw.normal(BATCH, T_SOURCE, D_MODEL), draw_mask(draw, BATCH, 1, 1, T_SOURCE)
    agree(decoder(agree), target_words(draw), memory, memory_mask=mask)


@item("decoder_masks", hint="What does the stub say about masks that nobody gives?")
def test_decoder_without_masks(agree: Agree, draw: Draw) -> None:
    """Without a mask every token is heard, those of id 0, too."""
    tokens = target_words(draw)
    tokens[0, -2:] = PAD
    agree(decoder(agree), tokens, draw.normal(BATCH, T_SOURCE, D_MODEL))


@item("decoder_masks", hint="Are both masks handed to every layer, each to its place?")
def test_decoder_both_masks(agree: Agree, draw: Draw) -> None:
    """The result is right under both masks, also when there are two layers."""
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    target_mask = draw_mask(draw, BATCH, 1, T_TARGET, T_TARGET)
    memory_mask = draw_mask(draw, BATCH, 1, 1, T_SOURCE)
    agree(alike(decoder(agree, 2)), target_words(draw), memory, target_mask, memory_mask)


@item("decoder_masks", hint="Must a mask have as many rows as the batch in order to broadcast?")
def test_decoder_masks_for_all_rows(agree: Agree, draw: Draw) -> None:
    """The result is right under masks that are the same for all rows, (1, 1, ...)."""
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    target_mask = draw_mask(draw, 1, 1, T_TARGET, T_TARGET)
    memory_mask = draw_mask(draw, 1, 1, 1, T_SOURCE)
    agree(decoder(agree), target_words(draw), memory, target_mask, memory_mask)


@item("decoder_masks", hint="Shapes are aligned from the right: what does each axis stand for?")
def test_decoder_masks_of_fewer_axes(agree: Agree, draw: Draw) -> None:
    """The result is right under masks of two and of three axes: (t, t_source), (n_heads, t, t)."""
    memory, words = draw.normal(BATCH, T_SOURCE, D_MODEL), target_words(draw)
    for batch in (BATCH, N_HEADS):  # fewer rows than heads, and as many
        asked = target_words(draw, batch), draw.normal(batch, T_SOURCE, D_MODEL)
        mask = draw_mask(draw, N_HEADS, T_TARGET, T_TARGET)
        agree(decoder(agree), *asked, target_mask=mask)
    agree(decoder(agree), words, memory, memory_mask=draw_mask(draw, T_TARGET, T_SOURCE))


@item("decoder_masks", hint="Are both masks handed to every layer, each to its place?")
def test_decoder_masks_of_another_size(agree: Agree, draw: Draw) -> None:
    """The result is right under both masks in a decoder of another size."""
    module, memory = agree.module("Decoder", TARGET_VOCAB, *OTHER), draw.normal(BATCH, T_SOURCE, 16)
    target_mask = draw_mask(draw, BATCH, 1, T_TARGET, T_TARGET)
    memory_mask = draw_mask(draw, BATCH, 1, 1, T_SOURCE)
    agree(module, target_words(draw), memory, target_mask, memory_mask)


@item("decoder_masks", hint="Is a mask with two axes one of queries and keys, whatever its sizes?")
def test_decoder_of_a_square(agree: Agree, draw: Draw) -> None:
    """A target_mask (t, t) is right, too, where the batch has as many rows as there are tokens."""
    memory = draw.normal(T_TARGET, T_SOURCE, D_MODEL)
    mask = draw_mask(draw, T_TARGET, T_TARGET)
    agree(decoder(agree), target_words(draw, batch=T_TARGET), memory, target_mask=mask)


@item("decoder_masks", hint="In which layer is a blocked row of the memory still heard?")
def test_decoder_blocked_row(student: Student, agree: Agree, draw: Draw) -> None:
    """A blocked row of the memory moves nothing; one that is allowed does."""
    module, tokens = alike(decoder(agree, 2)), target_words(draw)
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    mask = torch.ones(BATCH, 1, 1, T_SOURCE, dtype=torch.bool)
    mask[..., 2] = False
    shape = *tokens.shape, D_MODEL
    before = values(student, agree, module, tokens, memory, None, mask, shape=shape)
    for row, may_move in ((2, False), (3, True)):
        other = memory.clone()
        other[:, row] += 1.0
        after = values(student, agree, module, tokens, other, None, mask, shape=shape)
        found = moved(before, after)
        if found.any() and not may_move:
            problem = "a blocked row of the memory was changed, and the result moved"
            agree.wrong(module, problem, tokens, other, None, mask)
        if not found.all() and may_move:
            problem = "an allowed row of the memory was changed, and the result did not move"
            agree.wrong(module, problem, tokens, other, None, mask)


# stack_depth


@item("stack_depth", public=True, hint="One layer in a list twice is still one layer.")
def test_layers_of_their_own(agree: Agree) -> None:
    """Encoder and decoder have n_layers layers, each with parameters of its own."""
    agree.parameters(encoder(agree, 2))
    agree.parameters(decoder(agree, 2))


@item("stack_depth", public=True, hint="Does each layer get what the one before it gave?")
def test_deep(agree: Agree, draw: Draw) -> None:
    """The result is that of two layers, one after the other."""
    agree(encoder(agree, 2), source_words(draw))
    agree(decoder(agree, 2), target_words(draw), draw.normal(BATCH, T_SOURCE, D_MODEL))


@item("stack_depth", hint="Is the loop left too early, or the number of layers a constant?")
@pytest.mark.parametrize("n_layers", [1, 3])
def test_depths(agree: Agree, draw: Draw, n_layers: int) -> None:
    """Any number of layers will do."""
    agree(encoder(agree, n_layers), source_words(draw))
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    agree(decoder(agree, n_layers), target_words(draw), memory)


@item("stack_depth", hint="What does the second layer get as its memory?")
def test_depth_of_equal_lengths(agree: Agree, draw: Draw) -> None:
    """The same holds of a target that is as long as the source."""
    agree(decoder(agree, 2), target_words(draw), draw.normal(BATCH, T_TARGET, D_MODEL))


# transformer_masks


def mask_of(agree: Agree, which: str, pad_id: int = PAD) -> Blueprint:
    return transformer(agree, pad_id=pad_id).without_loading().of(which)


@item("transformer_masks", public=True, hint="padding_mask makes it, with the model's pad_id.")
def test_source_mask(agree: Agree, draw: Draw) -> None:
    """The source mask is bool, (batch, 1, 1, t_source), and True at real tokens."""
    agree(mask_of(agree, "source_mask"), draw_tokens(draw, BATCH, T_SOURCE, SOURCE_VOCAB))


@item("transformer_masks", public=True, hint="Which two masks must both say yes?")
def test_target_mask(agree: Agree, draw: Draw) -> None:
    """The target mask is bool, (batch, 1, t, t), True at real tokens not later than the query."""
    target = target_words(draw)
    target[0, :2] = PAD  # in front, where those that are padding may attend to nothing
    agree(mask_of(agree, "target_mask"), target)


@item("transformer_masks", hint="Is pad_id kept and used, or is 0 written out?")
def test_masks_of_another_pad_id(agree: Agree, draw: Draw) -> None:
    """The id of the padding may be any, and 0 a real token then."""
    source, target = source_words(draw), target_words(draw)
    source[1, 3:6] = OTHER_PAD
    target[1, :3] = OTHER_PAD
    source[0, 2] = target[0, 2] = 0
    agree(mask_of(agree, "source_mask", OTHER_PAD), source)
    agree(mask_of(agree, "target_mask", OTHER_PAD), target)


@item("transformer_masks", hint="What is promised of a mask that has nothing to block?")
def test_masks_without_padding(agree: Agree, draw: Draw) -> None:
    """Without padding the masks have the same shapes: the source's is True all over."""
    agree(mask_of(agree, "source_mask"), source_words(draw))
    agree(mask_of(agree, "target_mask"), target_words(draw))


@item("transformer_masks", hint="Who sees to a row that may hear nothing: the mask or attention?")
def test_masks_of_nothing_but_padding(agree: Agree, draw: Draw) -> None:
    """A row of nothing but padding is blocked throughout."""
    source, target = source_words(draw), target_words(draw)
    source[1] = target[0] = PAD
    agree(mask_of(agree, "source_mask"), source)
    agree(mask_of(agree, "target_mask"), target)


@item("transformer_masks", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_masks_non_contiguous(agree: Agree, draw: Draw) -> None:
    """Tokens that are not contiguous in memory, as target[:, :-1], have masks as well."""
    source, target = source_words(draw), target_words(draw)
    source[1, 4:] = target[0, 0] = PAD
    agree(mask_of(agree, "source_mask"), source.T.contiguous().T)
    agree(mask_of(agree, "target_mask"), target.T.contiguous().T)


@item("transformer_masks", hint="Under which name does the docstring keep it?", fits=("error",))
def test_pad_id_is_kept(agree: Agree, draw: Draw) -> None:
    """The model keeps pad_id as an attribute of that name."""
    made = mask_of(agree, "source_mask", OTHER_PAD)
    agree(made, source_words(draw), read=("pad_id",), look_at=["pad_id"])


@item("transformer_masks", hint="Is something still there from the call before?")
def test_mask_of_another_source(agree: Agree, draw: Draw) -> None:
    """Another source of the same shape gets a mask of its own."""
    other, source = source_words(draw), source_words(draw)
    other[0, 3:] = source[1, 5:] = PAD
    agree(mask_of(agree, "source_mask"), source, before={0: other})


@item("transformer_masks", hint="Is something still there from the call before?", fits="device")
def test_target_mask_after_a_move(agree: Agree, draw: Draw) -> None:
    """The target's mask is on the device of the target, also where the model has been moved."""
    moved: dict[str, Any] = {"before_loading": True, "elsewhere": True}
    agree(
        mask_of(agree, "target_mask"), target_words(draw), before={0: target_words(draw)}, **moved
    )


@item("transformer_masks", hint="Both masks at once: & asks for two yes, | for one.")
def test_target_mask_anywhere(
    student: Student, reference: Student, agree: Agree, draw: Draw
) -> None:
    """Padding in the middle and at the end of the target is blocked for every real token."""
    module, target = mask_of(agree, "target_mask"), target_words(draw, t=8)
    target[0, 3:5] = PAD
    target[1, 6:] = PAD
    got, right = student.call(module, target).value, reference.call(module, target).value
    real = (target != PAD)[:, None, :, None].expand_as(right)
    if isinstance(got, Tensor) and got.shape == right.shape and got.dtype == right.dtype:
        right = (
            torch.where(real, right, got.detach().cpu()) if got.device == right.device else right
        )
    problem = compare.compare(got, right, 0.0, "the result")
    if problem:
        agree.wrong(module, problem, target)


# transformer_output


def logits_of(
    student: Student, agree: Agree, module: Blueprint, source: Tensor, target: Tensor
) -> Tensor:
    shape = *target.shape, TARGET_VOCAB
    return values(student, agree, module, source, target, shape=shape)


@item("transformer_output", hint="Does anything come after the output layer?")
def test_no_softmax(student: Student, agree: Agree, draw: Draw) -> None:
    """The result is logits: nothing makes probabilities, or their logarithms, of them."""
    module, source, target = transformer(agree), source_words(draw), target_words(draw)
    logits = logits_of(student, agree, module, source, target)
    for sums in (logits.sum(-1), logits.exp().sum(-1)):
        if torch.allclose(sums, torch.ones_like(sums)):
            agree.wrong(module, "expected logits, got the result of a softmax", source, target)


@item("transformer_output", hint="Can a position see what comes after it?")
def test_causality(student: Student, agree: Agree, draw: Draw) -> None:
    """Changing token j of the target leaves the logits before j, and changes those from j on."""
    module, source, target = transformer(agree), source_words(draw), target_words(draw)
    before = logits_of(student, agree, module, source, target)
    for j in (1, 3):
        other = target.clone()
        other[:, j] = torch.where(target[:, j] == 5, 6, 5)
        found = moved(before, logits_of(student, agree, module, source, other))
        if found[:, :j].any():
            problem = f"token {j} of the target was changed, and logits before it moved"
            agree.wrong(module, problem, source, other)
        if not found[:, j:].all():
            problem = f"token {j} of the target was changed, and logits from there on did not move"
            agree.wrong(module, problem, source, other)


@item("transformer_output", hint="Does the memory get into the decoder?")
def test_source_counts(student: Student, agree: Agree, draw: Draw) -> None:
    """Changing a token of the source changes the logits at every position, of that row alone."""
    module, source, target = transformer(agree), source_words(draw), target_words(draw)
    before = logits_of(student, agree, module, source, target)
    other = source.clone()
    other[1, 4] = 5 if source[1, 4] != 5 else 6
    found = moved(before, logits_of(student, agree, module, other, target))
    if not found[1].all():
        agree.wrong(module, "a token of the source does not count", other, target)
    if found[0].any():
        agree.wrong(module, "row 1 of the source was changed, and row 0 moved", other, target)


@item("transformer_output", public=True, hint="Follow the picture, from the tokens to the logits.")
def test_logits(agree: Agree, draw: Draw) -> None:
    """The logits have the right values."""
    agree(transformer(agree), source_words(draw), target_words(draw))


@item(
    "transformer_output",
    public=True,
    hint="What does encode return, and what decode?",
    fits=("values", "shape"),
)
def test_halves(agree: Agree, draw: Draw) -> None:
    """encode gives the memory, and decode the vectors that the output layer takes."""
    module, source, target = transformer(agree), source_words(draw), target_words(draw)
    memory = agree(module.of("encode"), source).value
    agree(module.of("decode"), target, memory.detach(), source)


@item("transformer_output", hint="Where does the source's mask go, and where the target's?")
def test_logits_of_a_deep_one(agree: Agree, draw: Draw) -> None:
    """The logits are right with padding in the source, two layers (alike) and four heads."""
    source = uneven_words(draw)
    agree(alike(transformer(agree, 2, n_heads=4)), source, target_words(draw, t=8))


# arguments


@item(
    "arguments",
    public=True,
    hint="Which vocabulary belongs to which stack?",
    fits=("values", "shape"),
)
def test_transformer_parameters(agree: Agree) -> None:
    """The Transformer has the parameters of its parts, in the sizes that were asked for."""
    agree.parameters(transformer(agree))


def has_parameters(student: Student, reference: Student, agree: Agree, module: Blueprint) -> None:
    """It has the reference's, by name and shape."""
    module = module.without_loading().of("state_dict")
    got, right = student.call(module).value, reference.call(module).value
    if not isinstance(got, dict) or not all(map(torch.is_tensor, got.values())):
        agree.wrong(module, "expected a state dict of tensors")
    shapes = ({name: tuple(each.shape) for name, each in found.items()} for found in (got, right))
    problem = compare.differences(*shapes)
    if problem:
        agree.wrong(module, problem)


@item("arguments", hint="Does n_layers get into both stacks?")
def test_transformer_layers(student: Student, reference: Student, agree: Agree) -> None:
    """With another n_layers and d_ff, the Transformer has the parameters of those."""
    sizes = SOURCE_VOCAB, TARGET_VOCAB, D_MODEL, N_HEADS, 21, 2
    has_parameters(student, reference, agree, Blueprint("Transformer", sizes))


@item("arguments", hint="When both vocabularies are equally large, are they one?")
def test_vocabularies_of_one_size(agree: Agree) -> None:
    """Source and target have an embedding each, also when their vocabularies are equally large."""
    sizes = SOURCE_VOCAB, SOURCE_VOCAB, D_MODEL, N_HEADS, D_FF, 1
    agree.parameters(agree.module("Transformer", *sizes))


def without_bias(module: Blueprint) -> Blueprint:
    """The same with norms that add nothing."""
    norms = [name for name in module.weights or {} if ".norm" in name and name.endswith(".bias")]
    return module.with_weights({name: torch.zeros(D_MODEL).double() for name in norms})


@item("arguments", public=True, hint="Does dropout get into the encoding and into every layer?")
def test_everything_dropped(agree: Agree, draw: Draw) -> None:
    """In train mode, dropout=1.0 drops everything in either stack and in the Transformer."""
    # All that is left are the biases of the norms, and these are 0, so the depth does not matter.
    source, target = source_words(draw), target_words(draw)
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    model = without_bias(transformer(agree, 2, dropout=1.0)).training()
    agree(without_bias(encoder(agree, 2, dropout=1.0)).training(), source)
    agree(without_bias(decoder(agree, 2, dropout=1.0)).training(), target, memory)
    agree(model.of("encode"), source)
    agree(model.of("decode"), target, memory, source)


@item("arguments", hint="Is a dropout a constant, or one that does not know about eval mode?")
def test_nothing_dropped(student: Student, agree: Agree, draw: Draw) -> None:
    """dropout=0.0 drops nothing in train mode, and in eval mode nothing is dropped at all."""
    source, target = source_words(draw), target_words(draw)
    none, most = transformer(agree, dropout=0.0).training(), transformer(agree, dropout=0.9)
    most = most.with_weights(none.weights or {})
    logits = [logits_of(student, agree, each, source, target) for each in (none, most)]
    if moved(*logits).any():
        problem = "in train mode the logits are not those that they are in eval mode"
        agree.wrong(none, problem, source, target)


@item("arguments", hint="What does the stub say about a dropout that nobody gives?")
@pytest.mark.parametrize(
    ("name", "last"),
    [("Encoder", "norm2"), ("Decoder", "norm3"), ("Transformer", "encoder.layers.0.norm2")],
)
def test_default_dropout(student: Student, agree: Agree, draw: Draw, name: str, last: str) -> None:
    """When dropout is not given, a tenth of what a layer's feed_forward says is dropped."""
    # The stream is 0, and feed_forward says 1: the last norm puts what is dropped below 0.
    ones = f"{last}.weight", "feed_forward.linear2.bias"
    vocab = VOCABS if name == "Transformer" else (SOURCE_VOCAB,)
    module = agree.module(name, *vocab, 50, 2, 8, 1)
    weights = {
        name: torch.full_like(each, float(name.endswith(ones)))
        for name, each in (module.weights or {}).items()
    }
    module = module.with_weights(weights).training()
    module = module.of("encode") if name == "Transformer" else module
    more = [draw.normal(BATCH, T_SOURCE, 50)] if name == "Decoder" else []
    tokens = source_words(draw, t=37)
    got = values(student, agree, module, tokens, *more, shape=(BATCH, 37, 50))
    # Of 3700 numbers: more than six standard deviations away is no chance.
    share = (got < -0.5).double().mean().item()
    if abs(share - 0.1) > 0.05:
        agree.wrong(module, f"expected about 10% to be dropped, found {share:.0%}", tokens, *more)


@item("arguments", hint="How often is a number dropped before it comes to the first layer?")
@pytest.mark.parametrize("name", ["Encoder", "Decoder"])
def test_dropout_of_the_places(student: Student, agree: Agree, draw: Draw, name: str) -> None:
    """What comes to the first layer is dropped once, with the probability that is given."""
    # Layers say nothing: their norms put what is 0 by then below 0, and all the others above. The
    # words are so loud that nothing hangs on their places, nor on their scale.
    module = agree.module(name, SOURCE_VOCAB, 50, 2, 8, 1, dropout=0.3)
    weights = module.weights or {}
    says = {"token_embedding.embedding.weight": 1e15}
    says |= {each: 1.0 for each in weights if "norm" in each and each.endswith("weight")}
    weights = {each: torch.full_like(old, says.get(each, 0)) for each, old in weights.items()}
    module = module.with_weights(weights).training()
    more = [draw.normal(BATCH, T_SOURCE, 50)] if name == "Decoder" else []
    tokens = source_words(draw, t=37)
    got = values(student, agree, module, tokens, *more, shape=(BATCH, 37, 50))
    # Of 3700 numbers: more than six standard deviations away is no chance.
    share = (got < 0).double().mean().item()
    if abs(share - 0.3) > 0.05:
        agree.wrong(module, f"expected about 30% to be dropped, found {share:.0%}", tokens, *more)


@item("arguments", hint="What does the stub say about sizes that nobody gives?")
def test_default_sizes(student: Student, reference: Student, agree: Agree, draw: Draw) -> None:
    """Sizes that are not given are d_model=512, n_heads=8, d_ff=2048 and n_layers=6."""
    small = {"n_heads": 2, "d_ff": 4, "n_layers": 1, "max_len": MAX_LEN}
    wide = Blueprint("Transformer", VOCABS, small, method="output").in_float32()
    values(student, agree, wide, draw.normal(3, 512).float(), shape=(3, TARGET_VOCAB))
    deep = Blueprint("Transformer", (*VOCABS, 8), {"d_ff": 4})
    has_parameters(student, reference, agree, deep)
    source, target = source_words(draw), target_words(draw)
    said = agree.module("Transformer", *VOCABS, 8, 8, 2048, 1)
    unsaid = Blueprint("Transformer", (*VOCABS, 8), {"n_layers": 1}, said.weights)
    logits = [logits_of(student, agree, each, source, target) for each in (said, unsaid)]
    if moved(*logits).any():
        agree.wrong(unsaid, "not the same as with n_heads=8", source, target)


# max_len


@item("max_len", public=True, hint="Does max_len get into the positional encoding?")
def test_max_len_of_the_stacks(agree: Agree, draw: Draw) -> None:
    """Either stack raises ValueError for more than max_len tokens."""
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    for module, *others in (
        (encoder(agree, max_len=MAX_LEN),),
        (decoder(agree, max_len=MAX_LEN), memory),
    ):
        for t in MAX_LEN + 1, MAX_LEN + 4:
            words, naming = source_words(draw, t=t), (t, MAX_LEN)
            agree.raises(ValueError, module.without_loading(), words, *others, naming=naming)


@item("max_len", hint="What is compared with max_len in the decoder?", fits=("error",))
def test_memory_of_any_length(agree: Agree, draw: Draw) -> None:
    """max_len is a limit of the target alone: the decoder's memory may be longer, and is heard."""
    words = target_words(draw, 1).repeat(2, 1)
    memory = draw.normal(1, T_SOURCE, D_MODEL).repeat(2, 1, 1)
    memory[1, -1] = draw.normal(D_MODEL)
    long, short = (decoder(agree, max_len=n).without_loading() for n in (T_SOURCE, T_TARGET))
    if is_heard(agree, long, words, memory) and not is_heard(agree, short, words, memory):
        problem = f"with another row {T_SOURCE} of the memory nothing else comes: it is not heard"
        agree.wrong(short, problem, words, memory)


def is_heard(agree: Agree, module: Blueprint, words: Tensor, memory: Tensor) -> bool:
    """Whether two sentences that differ in their memories alone get different results."""
    x = agree(module, words, memory, look_at=[]).value
    alike = isinstance(x, Tensor) and x.shape[:1] == (2,) and torch.allclose(x[0], x[1])
    return not alike


@item("max_len", hint="Does max_len get into both stacks?")
def test_max_len_of_the_transformer(student: Student, agree: Agree, draw: Draw) -> None:
    """The Transformer takes max_len tokens, and raises ValueError for more in either place."""
    module = transformer(agree, max_len=MAX_LEN).without_loading()
    many, naming = source_words(draw, t=MAX_LEN + 1), (MAX_LEN + 1, MAX_LEN)
    most = many[:, :MAX_LEN].clone()
    logits = student.call(module, most, most).value  # whether they are right is asked elsewhere
    shape = *most.shape, TARGET_VOCAB
    fits = isinstance(logits, torch.Tensor) and logits.shape == shape
    if not (fits and logits.is_floating_point()) or logits.isnan().any():
        agree.wrong(module, f"expected logits of shape {shape}, and no NaN", most, most)
    agree.raises(ValueError, module, many, most, naming=naming)
    agree.raises(ValueError, module, most, many, naming=naming)


@item("max_len", hint="What does the stub say about a max_len that nobody gives?")
def test_default_max_len(student: Student, agree: Agree, draw: Draw) -> None:
    """When max_len is not given, 512 tokens are welcome, and 513 raise a ValueError."""
    small = 24, 1, 4, 1  # so many tokens take their time
    many, memory = source_words(draw, batch=1, t=513), draw.normal(1, T_SOURCE, 24)
    most = many[:, :512].clone()
    for module, *others in (
        (Blueprint("Encoder", (SOURCE_VOCAB, *small)),),
        (Blueprint("Decoder", (TARGET_VOCAB, *small)), memory),
        (Blueprint("Transformer", (*VOCABS, *small), method="encode"),),
    ):
        student.call(module, most, *others)
        agree.raises(ValueError, module, many, *others, naming=(513, 512))


# transformer_padding


@item("transformer_padding", public=True, hint="Does the source's mask get into both stacks?")
def test_padding_of_the_source(agree: Agree, draw: Draw) -> None:
    """With padding behind the source, the logits are those without it."""
    agree(transformer(agree), padded(source_words(draw), 3), target_words(draw))
    alone = padded(source_words(draw, batch=1), 3)
    agree(transformer(agree), alone, target_words(draw, batch=1))


@item("transformer_padding", hint="Does the source's mask get into both stacks?")
def test_padding_in_another_size(agree: Agree, draw: Draw) -> None:
    """Padding behind the source means nothing in a model of another size, too."""
    model, source = agree.module("Transformer", *VOCABS, *OTHER), padded(source_words(draw), 3)
    agree(model, source, target_words(draw))
    memory = draw.normal(BATCH, T_SOURCE + 3, OTHER[0])
    agree(model.of("decode"), target_words(draw), memory, source)


@item("transformer_padding", hint="Who still listens to padding of the source?")
def test_more_padding_behind_the_source(student: Student, agree: Agree, draw: Draw) -> None:
    """Padding behind the source changes no logit, whatever pad_id is."""
    module = transformer(agree, pad_id=OTHER_PAD)
    source, target = source_words(draw), target_words(draw)
    logits = logits_of(student, agree, module, source, target)
    longer = padded(source, 3, OTHER_PAD)
    if moved(logits, logits_of(student, agree, module, longer, target)).any():
        agree.wrong(module, "with three more tokens of padding, it is not the same", longer, target)


@item("transformer_padding", public=True, hint="decode has the source for a reason: which?")
def test_decode_under_padding(agree: Agree, draw: Draw) -> None:
    """decode by itself does not listen to the memory of padding."""
    source, memory = padded(source_words(draw), 3), draw.normal(BATCH, T_SOURCE + 3, D_MODEL)
    agree(transformer(agree).of("decode"), target_words(draw), memory, source)


@item("transformer_padding", hint="Is something still there from the call before?")
def test_decode_another_source(agree: Agree, draw: Draw) -> None:
    """decode goes by the padding of the source that it is given, whatever came before."""
    other, source = source_words(draw), source_words(draw)
    other[0, 3:] = source[1, 5:] = PAD
    target, memory = target_words(draw), draw.normal(BATCH, T_SOURCE, D_MODEL)
    decode = transformer(agree).of("decode")
    agree(decode, target, memory, source, before={2: other})
    agree(decode, target, memory, source, before={0: other}, before_method="encode")


@item("transformer_padding", hint="Does encode make the source's mask, or does forward?")
def test_encode_under_padding(student: Student, agree: Agree, draw: Draw) -> None:
    """encode by itself gives real tokens the memory that they have without padding."""
    module, source = transformer(agree).of("encode"), source_words(draw)
    memory = values(student, agree, module, source, shape=(BATCH, T_SOURCE, D_MODEL))
    longer = padded(source, 3)
    found = values(student, agree, module, longer, shape=(BATCH, T_SOURCE + 3, D_MODEL))
    if moved(memory, found[:, :T_SOURCE]).any():
        agree.wrong(module, "with three tokens of padding, it is not the same", longer)


@item("transformer_padding", hint="Does decode make the target's mask, or does forward?")
def test_decode_under_padding_of_the_target(student: Student, agree: Agree, draw: Draw) -> None:
    """decode by itself does not listen to padding of the target, nor to what comes later."""
    module, source, target = transformer(agree).of("decode"), source_words(draw), target_words(draw)
    memory = draw.normal(BATCH, T_SOURCE, D_MODEL)
    shape = BATCH, T_TARGET, D_MODEL
    before = values(student, agree, module, target, memory, source, shape=shape)
    other = target.clone()
    other[:, 3:] = PAD
    after = values(student, agree, module, other, memory, source, shape=shape)
    if moved(before[:, :3], after[:, :3]).any():
        agree.wrong(module, "tokens 3 and 4 are padding, and what is before moved", other)


@item("transformer_padding", hint="Who still listens to padding of the target?")
def test_padding_behind_the_target(student: Student, agree: Agree, draw: Draw) -> None:
    """Padding behind the target changes no logits at the real positions."""
    module, source, target = transformer(agree), source_words(draw), target_words(draw)
    logits = logits_of(student, agree, module, source, target)
    longer = padded(target, 3)
    if moved(logits, logits_of(student, agree, module, source, longer)[:, :T_TARGET]).any():
        agree.wrong(module, "with three tokens of padding, it is not the same", source, longer)


@item("transformer_padding", hint="Over which axis does a position, a norm or a mean run?")
def test_neighbours(student: Student, agree: Agree, draw: Draw) -> None:
    """A row gets the same logits alone as in a batch, in which others are longer."""
    module, target = transformer(agree), target_words(draw, batch=3)
    source = source_words(draw, batch=3)
    source[1, 5:] = PAD
    logits = logits_of(student, agree, module, source, target)
    alone = logits_of(student, agree, module, source[1:2, :5].clone(), target[1:2].clone())
    if moved(logits[1:2], alone).any():
        agree.wrong(module, "row 1 alone, without its padding, is not the same", source, target)


# transformer_tensors


@item(
    "transformer_tensors",
    public=True,
    hint="Is something detached, or made anew, on the way?",
    fits="gradient",
)
def test_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of the logits by every parameter are right."""
    source, target = uneven_words(draw), target_words(draw)
    cotangents = (draw.normal(BATCH, T_TARGET, TARGET_VOCAB),)
    agree(transformer(agree), source, target, cotangents=cotangents)


@item("transformer_tensors", hint="Is a tensor made in another dtype on the way?", fits="dtype")
def test_float32(agree: Agree, draw: Draw) -> None:
    """A float32 model gives float32 logits."""
    source = uneven_words(draw)
    agree(transformer(agree).in_float32(), source, target_words(draw))


@item("transformer_tensors", hint="On which device is a new tensor made?", fits="device")
def test_elsewhere(agree: Agree, draw: Draw) -> None:
    """Model and tokens may be on another device; logits and masks are there, too."""
    source, target = uneven_words(draw), target_words(draw)
    agree(transformer(agree), source, target, elsewhere=True)
    agree(mask_of(agree, "source_mask"), source, elsewhere=True)
    agree(mask_of(agree, "target_mask"), target, elsewhere=True)


@item(
    "transformer_tensors", hint="Methods that end in _, and operators such as *=, write in place."
)
def test_tokens_unchanged(agree: Agree, draw: Draw) -> None:
    """source and target are left as they are."""
    source = uneven_words(draw)
    agree.unchanged(transformer(agree), source, target_words(draw))


@item("transformer_tensors", crowded=True)
@meeting(MEETINGS)
def test_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Rows, lengths, padding, layers, dtypes, modes, gradients and calls may meet."""
    batch, t_source, t_target, n_layers, is_padded, pad_id, dtype, is_trained, asked = met
    given, other = (
        [source_words(draw, batch, t_source), target_words(draw, batch, t_target)] for _ in range(2)
    )
    if is_padded:  # and nothing was, where it is now, in the call before
        given[0] = padded(given[0], 3, pad_id)
        other[0] = source_words(draw, batch, t_source + 3)
    model = alike(transformer(agree, n_layers, pad_id=pad_id, dropout=0.0))
    upstream, earlier = draw.normal(batch, t_target, TARGET_VOCAB, dtype=dtype), enumerate(other)
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": dict(earlier)}
    ask_there(agree, made_for(model, dtype, is_trained), *given, **beside)


# greedy_words


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


@item(
    "greedy_words", public=True, hint="Is the whole row fed in again, and the last position read?"
)
def test_words(reference: Student, agree: Agree, draw: Draw) -> None:
    """Each next word is the one with the largest logit, in view of all the words before it."""
    source = uneven_words(draw)
    agree(
        DECODE, writer(reference, agree, draw, [PAD, END]), source, START, END, 6, same_mode=False
    )


@item("greedy_words", public=True, hint="Under which mask does the model read what is written?")
def test_words_of_two_layers(reference: Student, agree: Agree, draw: Draw) -> None:
    """In no layer does a word see those that come after it, as in training."""
    model = writer(reference, agree, draw, [PAD, END], n_layers=2)
    agree(DECODE, model, *mask_matters(reference, draw, model), same_mode=False)


def mask_matters(
    reference: Student, draw: Draw, model: Blueprint, steps: int = 6
) -> tuple[Tensor, int, int, int]:
    """A source and what else is asked of greedy_decode, where words differ without the mask.

    What the first layer makes of the last word is the same without it, so there must be two.
    """
    for batch, start_id in SEARCHES:
        source = source_words(draw, batch)
        memory = reference.call(model.of("encode"), source).value
        written = reference.call(DECODE, model, source, start_id, END, steps).value
        unmasked = written[:, :1]
        while unmasked.shape[1] < steps:
            last = reference.call(model.of("decoder"), unmasked, memory).value[:, -1:]
            word = reference.call(model.of("output"), last).value.argmax(dim=-1)
            unmasked = torch.cat([unmasked, word], dim=1)
        (rows,) = (unmasked != written).any(1).nonzero(as_tuple=True)
        if len(rows) > 1:
            return source[rows[:2]], start_id, END, steps
    raise LookupError("no sources were found that are translated otherwise without a mask")


@item("greedy_words", hint="Does each row see its own source, and no padding of it?")
def test_words_of_many(reference: Student, agree: Agree, draw: Draw) -> None:
    """Rows of different lengths, another start_id, and max_len up to the model's own."""
    model = writer(reference, agree, draw, [PAD, END], max_len=MAX_LEN)
    source = padded(source_words(draw, batch=4), 2)
    # Whichever way they are sorted, sorting them so twice does not bring them back.
    source[0, 6:] = source[1, 1:] = source[2, 4:] = PAD
    agree(DECODE, model, source, 6, END, MAX_LEN, same_mode=False)


@item("greedy_words", hint="Padding is blocked by a mask. Is any of it taken out as well?")
def test_words_after_a_gap(reference: Student, agree: Agree, draw: Draw) -> None:
    """A pad between the words of a source is not heard, and those behind it keep their places."""
    model = writer(reference, agree, draw, [PAD, END])
    agree(DECODE, model, *gaps_matter(reference, draw, model), same_mode=False)


def gaps_matter(
    reference: Student, draw: Draw, model: Blueprint, steps: int = 6
) -> tuple[Tensor, int, int, int]:
    """A source and what else is asked of greedy_decode, where words differ once gaps are closed."""
    for batch, start_id in SEARCHES:
        source = source_words(draw, batch)
        source[:, 2] = PAD
        closed = torch.cat([source[:, :2], source[:, 3:], source[:, 2:3]], dim=1)
        written, other = (
            reference.call(DECODE, model, each, start_id, END, steps).value
            for each in (source, closed)
        )
        (rows,) = (written != other).any(1).nonzero(as_tuple=True)
        if len(rows) > 1:
            return source[rows[:2]], start_id, END, steps
    raise LookupError("no sources were found whose words depend on their places")


@item("greedy_words", hint="Is a batch of one, or a start alone, a special case?")
def test_words_of_one(reference: Student, agree: Agree, draw: Draw) -> None:
    """A single row; max_len 1 and 2, where the start counts, and one far beyond the source."""
    model, source = writer(reference, agree, draw, [PAD, END]), source_words(draw)
    agree(DECODE, model, source[:1].clone(), START, END, 4, same_mode=False)
    agree(DECODE, model, source, START, END, 1, same_mode=False)
    agree(DECODE, model, source, START, END, 2, same_mode=False)
    agree(DECODE, model, *past_matters(reference, draw, model), LONG, same_mode=False)


def past_matters(reference: Student, draw: Draw, model: Blueprint) -> tuple[Tensor, int, int]:
    """A source of two tokens, start_id and end_id: in view of the last two words alone, or of the
    last ten, other words are written.
    """
    for batch, start_id in SEARCHES:
        source = source_words(draw, batch)[:, :2].clone()
        memory = reference.call(model.of("encode"), source).value
        written = reference.call(DECODE, model, source, start_id, END, LONG).value
        found = torch.ones(batch, dtype=torch.bool)
        for size in (2, 10):
            differs = torch.zeros_like(found)
            for at in range(size + 1, LONG):
                last = written[:, at - size : at].clone()
                x = reference.call(model.of("decoder"), last, memory).value[:, -1]
                word = reference.call(model.of("output"), x).value.argmax(dim=-1)
                differs |= word != written[:, at]
            found &= differs
        if found.any():
            return source[found][:1], start_id, END
    raise LookupError("no source was found whose words depend on all words before them")


@item("greedy_words", hint="Is a logit left out before the largest is looked for?")
def test_any_word(reference: Student, agree: Agree, draw: Draw) -> None:
    """Padding is a word like any other: it is written with the largest logit, and ends no row."""
    model = writer(reference, agree, draw, [END])
    bias = (model.weights or {})["output.bias"].clone()
    bias[PAD] = 100.0
    model = model.with_weights({"output.bias": bias})
    agree(DECODE, model, source_words(draw), START, END, 5, same_mode=False)


@item("greedy_words")
def test_operations(reference: Student, agree: Agree, draw: Draw) -> None:
    """The rows of a batch are written side by side."""
    model, source = writer(reference, agree, draw, [PAD, END]), source_words(draw, batch=5)
    few, many = ((model, source[:n].clone(), START, END, 4) for n in (2, 5))
    agree.operations(DECODE, few, many, grows_with="the batch")


# greedy_end

STEPS = 8


def endings(
    reference: Student, agree: Agree, draw: Draw, pad_id: int, **kwargs: Any
) -> tuple[Blueprint, Tensor, int, int]:
    """A model, three sources, start_id and end_id: two rows end, at different steps, one does not.

    The reference is asked what it would write without an end, and then what that shall be.
    """
    model = writer(reference, agree, draw, [pad_id], pad_id=pad_id, **kwargs)
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


@item("greedy_end", public=True, hint="What does a row hold after its end_id?")
def test_rows_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """A row that has ended is padded, while the others go on undisturbed."""
    agree(DECODE, *endings(reference, agree, draw, PAD), STEPS, same_mode=False)


@item("greedy_end", hint="When every row has ended, is anything more written?")
def test_all_rows_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """When all rows have ended it stops, before max_len, and a single row does too."""
    model, source, *ids = endings(reference, agree, draw, PAD)
    agree(DECODE, model, source[:2].clone(), *ids, STEPS, same_mode=False)
    agree(DECODE, model, source[1:2].clone(), *ids, STEPS, same_mode=False)


@item("greedy_end", hint="How many tokens does the decoder see at each step?")
def test_all_rows_end_in_a_shorter_model(reference: Student, agree: Agree, draw: Draw) -> None:
    """When all rows have ended in time, max_len may be beyond the model's own."""
    model, source, *ids = endings(reference, agree, draw, PAD, max_len=MAX_LEN)
    agree(DECODE, model, source[:2].clone(), *ids, MAX_LEN + 4, same_mode=False)


@item("greedy_end", hint="With which id is a row filled up?")
def test_rows_end_with_another_pad_id(reference: Student, agree: Agree, draw: Draw) -> None:
    """Rows that have ended are filled with the model's pad_id, whatever it is."""
    agree(DECODE, *endings(reference, agree, draw, OTHER_PAD), STEPS, same_mode=False)


@item("greedy_end", hint="Whose source is handed on for a row once others have ended?")
def test_rows_end_with_padding(reference: Student, agree: Agree, draw: Draw) -> None:
    """When a row has ended, no padding is blocked in the others but that of their own sources."""
    model = writer(reference, agree, draw, [PAD])
    agree(DECODE, model, *own_padding_matters(reference, draw, model), STEPS, same_mode=False)


def own_padding_matters(
    reference: Student, draw: Draw, model: Blueprint
) -> tuple[Tensor, int, int]:
    """A source of two rows, start_id and end_id: the first, with padding, ends, the other does not.

    What the other writes from there on would not be the same with the first row's padding.
    """
    ids = sorted({*range(TARGET_VOCAB)} - {PAD})
    for start_id in 5 * ids:
        long, short = source_words(draw, batch=12), source_words(draw, batch=12)
        short[:, 2:] = PAD
        memory = reference.call(model.of("encode"), long).value
        first, second = (
            reference.call(DECODE, model, each, start_id, -1, STEPS).value for each in (short, long)
        )
        for width in range(2, STEPS):
            other = second[:, :width]
            while other.shape[1] < STEPS:
                last = reference.call(model.of("decode"), other, memory, short).value[:, -1:]
                word = reference.call(model.of("output"), last).value.argmax(dim=-1)
                other = torch.cat([other, word], dim=1)
            for end_id in {*ids} - {start_id}:
                is_end = first == end_id
                ends = is_end[:, width - 1] & ~is_end[:, : width - 1].any(1)
                goes_on = (second != end_id).all(1) & (second != other).any(1)
                if ends.any() and goes_on.any():
                    rows = short[ends.long().argmax()], long[goes_on.long().argmax()]
                    return torch.stack(rows), start_id, end_id
    raise LookupError("no source was found whose own padding can be seen in its words")


@item("greedy_end", hint="Which tokens has a row produced before the first step?")
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


# greedy_care

WATCH = ("encoder", "decoder")


def with_care(agree: Agree, model: Blueprint, source: Tensor) -> None:
    args = DECODE, model, source, START, END, 5
    watched = dict(zip(WATCH, agree(*args, watch=WATCH).watched, strict=False))
    for name, seen in watched.items():
        if seen.trained:
            agree.wrong(DECODE, f"the {name} is in train mode, where dropout drops", *args[1:])
        if seen.kept_gradient:
            agree.wrong(DECODE, f"the {name}'s output asks for gradients", *args[1:])
    calls = watched["encoder"].calls
    if calls > 1:
        agree.wrong(DECODE, f"expected one call of the encoder, got {calls}", *args[1:])


@item(
    "greedy_care",
    public=True,
    hint="Which mode does the model need, and which was it in?",
    fits=("values", "mode"),
)
def test_in_train_mode(reference: Student, agree: Agree, draw: Draw) -> None:
    """A model in train mode is put into eval mode and back; the source is read once."""
    model = writer(reference, agree, draw, [PAD, END], dropout=0.5)
    with_care(agree, model.training(), source_words(draw))


@item(
    "greedy_care",
    hint="Which mode does the model need, and which was it in?",
    fits=("values", "mode"),
)
def test_a_single_source_in_train_mode(reference: Student, agree: Agree, draw: Draw) -> None:
    """A single source is read with the same care."""
    model = writer(reference, agree, draw, [PAD, END], dropout=0.5)
    with_care(agree, model.training(), source_words(draw, batch=1))


@item(
    "greedy_care",
    hint="Is the model put into train mode although it was not in it?",
    fits=("values", "mode"),
)
def test_in_eval_mode(reference: Student, agree: Agree, draw: Draw) -> None:
    """A model in eval mode stays there."""
    model = writer(reference, agree, draw, [PAD, END], dropout=0.5)
    with_care(agree, model, source_words(draw))


@item("greedy_care", hint="Which lines run when all rows end before max_len?", fits="mode")
def test_mode_after_an_early_end(reference: Student, agree: Agree, draw: Draw) -> None:
    """When all rows have ended before max_len, the model is left in the mode in which it came."""
    model, source, *ids = endings(reference, agree, draw, PAD)
    agree(DECODE, model.training(), source[:2].clone(), *ids, STEPS)
    agree(DECODE, model.training(), source, *ids, 1)  # and where there is nothing to write


@item("greedy_care", hint="On which device is the first token made?", fits="device")
def test_words_elsewhere(reference: Student, agree: Agree, draw: Draw) -> None:
    """The words are on the device of the source."""
    model = writer(reference, agree, draw, [PAD, END])
    agree(DECODE, model, source_words(draw), START, END, 3, elsewhere=True, same_mode=False)


@item("greedy_care", hint="Is something still there from the call before?")
def test_another_source(reference: Student, agree: Agree, draw: Draw) -> None:
    """A second call, with another source of the same shape, is right as well."""
    model = writer(reference, agree, draw, [PAD, END])
    source, other, *rest = sources_matter(reference, draw, model)
    agree(DECODE, model, source, *rest, same_mode=False, before={1: other})


def sources_matter(
    reference: Student, draw: Draw, model: Blueprint, steps: int = 6
) -> tuple[Tensor, Tensor, int, int, int]:
    """Two sources that are translated otherwise, and what else is asked of greedy_decode."""
    for batch, start_id in SEARCHES:
        sources = [source_words(draw, batch) for _ in range(2)]
        written = [
            reference.call(DECODE, model, each, start_id, END, steps).value for each in sources
        ]
        shortest = min(each.shape[1] for each in written)
        one, other = (each[:, :shortest] for each in written)
        (rows,) = (one != other).any(1).nonzero(as_tuple=True)
        if len(rows) > 1:
            one, other = (each[rows[:2]] for each in sources)
            return one, other, start_id, END, steps
    raise LookupError("no two sources were found that are translated otherwise")


@item("greedy_care", hint="Methods that end in _, and assignments to a slice, write in place.")
def test_source_unchanged(reference: Student, agree: Agree, draw: Draw) -> None:
    """The source is left as it was."""
    model = writer(reference, agree, draw, [PAD, END])
    agree.unchanged(DECODE, model, source_words(draw), START, END, 4)
