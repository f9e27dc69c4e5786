"""Checks of a3_positional_encoding. A check's docstring is the sentence that a student reads.

Sizes are pairwise distinct, so that no swapped axis can pass. A PositionalEncoding is made without
loading anything, since there is nothing to load, and without dropout, except where the check is
about that: what is wrong with the one costs nothing elsewhere.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checking import Agree, Blueprint, Draw, Student

from ..inputs import draw_tokens
from ..meetings import Meeting, ask_there, made_for, meeting, relaid

BATCH, T, D_MODEL, MAX_LEN, VOCAB_SIZE = 2, 5, 6, 9, 11
TABLE = "sinusoidal_encoding"
ROUNDING = 0.02  # allowed in a dot product of two rows; float32 needs a thousandth of it
# Sentences, positions, d_model, dtype; if relaid; if in train mode; what is asked.
IN_EMBEDDINGS = [
    (1, 1, 1, torch.float32, False, False, "other weights"),
    (1, 1, 6, torch.float64, False, True, "gradients"),
    (1, 1, 16, torch.float64, False, False, "in place"),
    (1, 5, 1, torch.float32, False, True, "in place"),
    (1, 67, 16, torch.float32, False, True, "device"),
    (2, 1, 1, torch.float64, False, False, "device"),
    (2, 5, 6, torch.float32, False, True, "other weights"),
    (2, 5, 6, torch.float64, True, False, "device"),
    (2, 5, 16, torch.float32, True, True, "gradients"),
    (2, 67, 1, torch.float64, True, False, "gradients"),
    (2, 67, 6, torch.float64, True, False, "in place"),
    (2, 67, 16, torch.float64, True, True, "other weights"),
]
# Sentences, positions, d_model, max_len, dropout, and on as above.
IN_POSITIONS = [
    (1, 1, 6, 73, 1.0, torch.float32, True, True, "gradients"),
    (1, 5, 2, 73, 0.0, torch.float32, False, True, "gradients"),
    (1, 5, 2, 73, 0.5, torch.float64, True, False, "in place"),
    (1, 67, 2, 67, 1.0, torch.float64, True, True, "in place"),
    (2, 1, 2, 67, 0.5, torch.float64, False, False, "gradients"),
    (2, 1, 6, 67, 0.0, torch.float64, True, False, "in place"),
    (2, 5, 6, 67, 1.0, torch.float32, False, False, "in place"),
    (2, 67, 6, 73, 0.5, torch.float32, False, False, "gradients"),
    (2, 67, 6, 73, 0.0, torch.float64, True, True, "gradients"),
]

item = pytest.mark.item


def embedding(agree: Agree, d_model: int = D_MODEL) -> Blueprint:
    return agree.module("TokenEmbedding", VOCAB_SIZE, d_model)


def positions(
    agree: Agree, *, d_model: int = D_MODEL, max_len: int = MAX_LEN, dropout: float = 0.0
) -> Blueprint:
    made = agree.module("PositionalEncoding", d_model, max_len=max_len, dropout=dropout)
    return made.without_loading()


def tokens(draw: Draw, batch: int = BATCH, t: int = T) -> Tensor:
    return draw_tokens(draw, batch, t, vocab_size=VOCAB_SIZE)


def output_of(
    student: Student,
    agree: Agree,
    target: str | Blueprint,
    shape: tuple[int, ...],
    *args: Any,
    **how: Any,
) -> Tensor:
    """What a property is looked at on, whether its values are right or not."""
    output = student.call(target, *args, **how).value
    if not isinstance(output, Tensor) or output.shape != shape:
        agree.wrong(target, f"expected a tensor of shape {shape}", *args)
    return output


# encoding_first_row


@item("encoding_first_row", public=True, hint="Sine, cosine, sine, cosine, each pair side by side.")
def test_first_row(agree: Agree) -> None:
    """Row 0 is 0, 1, 0, 1, ...: every hand of the clock stands at twelve."""
    agree(TABLE, 1, D_MODEL)


@item("encoding_first_row", hint="Which columns does a slice with step 2 take, from 0 and from 1?")
@pytest.mark.parametrize("d_model", [2, 4, 10, 512])
def test_first_row_of_any_width(agree: Agree, d_model: int) -> None:
    """So it is for every number of columns."""
    agree(TABLE, 1, d_model)


@item("encoding_first_row", hint="Are positions counted from 0?")
def test_first_row_of_longer_tables(student: Student, agree: Agree) -> None:
    """So it is for the first row of a longer table."""
    table = output_of(student, agree, TABLE, (7, 10), 7, 10)
    right = torch.tensor([0.0, 1.0]).repeat(5)
    if not torch.allclose(table[0].to(right.dtype), right, atol=ROUNDING):
        agree.wrong(TABLE, "row 0 is not 0, 1, 0, 1, ...", 7, 10)


# encoding_values


@item("encoding_values", public=True, hint="Compare the row of position 1 with the formula.")
def test_values(agree: Agree) -> None:
    """The table is (max_len, d_model), float32, and has the values of the formula."""
    agree(TABLE, 3, 4)
    agree(TABLE, 5, D_MODEL)


@item("encoding_values", hint="Which exponent has column 2, and is it the same for column 3?")
@pytest.mark.parametrize(
    ("max_len", "d_model"), [(64, 2), (61, 4), (3, 8), (30, 12), (23, 98), (19, 130), (64, 512)]
)
def test_values_of_any_size(agree: Agree, max_len: int, d_model: int) -> None:
    """The values are right for few and for many columns, for few and for many rows."""
    agree(TABLE, max_len, d_model)


@item(
    "encoding_values",
    hint="Positions down, columns across: what broadcasts to that?",
    fits=("values", "shape"),
)
def test_operations(agree: Agree) -> None:
    """A larger table takes no more calls of torch (this costs nothing)."""
    agree.operations(TABLE, (3, 8), (40, 8), grows_with="max_len")
    agree.operations(TABLE, (3, 8), (3, 60), grows_with="d_model")


# encoding_far


@item("encoding_far", hint="In which dtype are the positions, and are all of them different in it?")
@pytest.mark.parametrize(("max_len", "d_model"), [(1201, 32), (1999, 6), (5003, 8), (5101, 2)])
def test_far(agree: Agree, max_len: int, d_model: int) -> None:
    """The values are right for thousands of positions, apart from what float32 loses."""
    agree(TABLE, max_len, d_model)


# encoding_odd_size


@item("encoding_odd_size", public=True, hint="What is left of d_model % 2? Raise ValueError.")
def test_odd_size(agree: Agree) -> None:
    """An odd d_model raises a ValueError that names it."""
    agree.raises(ValueError, TABLE, T, 13, naming=(13,))


@item("encoding_odd_size", hint="Is the number in the message the one that was passed?")
@pytest.mark.parametrize("d_model", [1, 27, 511])
def test_more_odd_sizes(agree: Agree, d_model: int) -> None:
    """So does every other odd d_model, however small or large."""
    agree.raises(ValueError, TABLE, 8, d_model, naming=(d_model,), unlike=(8, 26))


# encoding_distance


@item(
    "encoding_distance", public=True, hint="One hand: the sine and cosine of the position itself."
)
def test_one_hand(agree: Agree) -> None:
    """With two columns there is one hand, and its angle is the position."""
    agree(TABLE, 7, 2)


@item("encoding_distance", hint="Do sine and cosine of a pair have the same angle?")
@pytest.mark.parametrize("d_model", [6, 16, 64])
def test_distance(student: Student, agree: Agree, d_model: int) -> None:
    """The dot product of two rows depends on their distance alone, and is largest at 0."""
    table = output_of(student, agree, TABLE, (40, d_model), 40, d_model).double()
    dots = table @ table.T
    for distance in range(40):
        of_pairs = dots.diagonal(distance)
        if not of_pairs.max() - of_pairs.min() <= ROUNDING:  # never so for NaN
            problem = f"rows at the distance {distance} have different dot products"
            agree.wrong(TABLE, problem, 40, d_model)
        if distance == 0 and not abs(of_pairs[0] - d_model / 2) <= ROUNDING:
            problem = f"a row's dot product with itself is not d_model / 2 = {d_model // 2}"
            agree.wrong(TABLE, problem, 40, d_model)
        if distance and not of_pairs.max() < d_model / 2 - 1e-3:
            problem = f"rows at the distance {distance} cannot be told apart"
            agree.wrong(TABLE, problem, 40, d_model)


# embedding_scale


@item(
    "embedding_scale", public=True, hint="One nn.Embedding(vocab_size, d_model), named embedding."
)
def test_embedding_parameters(agree: Agree) -> None:
    """The state dict holds embedding.weight (vocab_size, d_model) and nothing else."""
    agree.parameters(embedding(agree))


@item("embedding_scale", public=True, hint="By what are the rows multiplied, and how often?")
def test_embedding(agree: Agree, draw: Draw) -> None:
    """Each token becomes its row of the embedding, times the root of d_model."""
    agree(embedding(agree), tokens(draw))


@item(
    "embedding_scale",
    hint="Does the scale follow d_model? Does an axis of size 1 get lost?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(("batch", "t", "d_model"), [(3, 4, 1), (1, 8, 16), (7, 1, 3), (1, 1, 64)])
def test_embedding_sizes(agree: Agree, draw: Draw, batch: int, t: int, d_model: int) -> None:
    """The scale follows d_model, whatever the batch and the length."""
    agree(embedding(agree, d_model), tokens(draw, batch, t))


@item("embedding_scale", hint="Is the scale a part of forward, or done to the weights once?")
def test_embedding_in_training(agree: Agree, draw: Draw) -> None:
    """In train mode the result is the same."""
    agree(embedding(agree).training(), tokens(draw))


@item("embedding_scale", hint="Is something kept that was made of the rows?")
def test_embedding_after_other_weights(agree: Agree, draw: Draw) -> None:
    """After a call with other rows, those that were loaded since then are used."""
    agree(embedding(agree), tokens(draw), before={0: tokens(draw)}, before_loading=True)


@item("embedding_scale", hint="Do not let nn.Embedding treat any row differently.")
def test_every_token(agree: Agree) -> None:
    """Each token of the vocabulary has its row, the first and the last included."""
    agree(embedding(agree), torch.arange(VOCAB_SIZE).flip(0)[None])


# embedding_gradients


@item(
    "embedding_gradients",
    public=True,
    hint="Is the scale outside of autograd, or a row skipped?",
    fits="gradient",
)
def test_embedding_gradients(agree: Agree, draw: Draw) -> None:
    """The gradient of embedding.weight is right."""
    upstream = draw.normal(BATCH, T, D_MODEL)
    agree(embedding(agree), tokens(draw), cotangents=(upstream,))


@item("embedding_gradients", hint="Is token 0 a token like any other?", fits="gradient")
def test_gradients_of_repeated_tokens(agree: Agree, draw: Draw) -> None:
    """A token that occurs often adds up its contributions, token 0 and the last one too."""
    often = torch.tensor([[0, 3, 0, 3], [10, 0, 3, 10], [1, 1, 1, 10]])
    upstream = draw.normal(3, 4, D_MODEL)
    agree(embedding(agree), often, cotangents=(upstream,), exact_zeros=True)


@item(
    "embedding_gradients",
    public=True,
    hint="Is a constant made in a dtype of its own?",
    fits="dtype",
)
def test_embedding_in_float32(agree: Agree, draw: Draw) -> None:
    """A float32 module gives a float32 result."""
    agree(embedding(agree).in_float32(), tokens(draw))


@item("embedding_gradients", hint="On which device is a new tensor made?", fits="device")
def test_embedding_device(agree: Agree, draw: Draw) -> None:
    """The result is on the device of the module and the tokens."""
    agree(embedding(agree), tokens(draw), elsewhere=True)


@item("embedding_gradients", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_embedding_non_contiguous(agree: Agree, draw: Draw) -> None:
    """Tokens that are not contiguous in memory, as text[:, :-1], work as well."""
    agree(embedding(agree), tokens(draw, T, BATCH).T)


@item("embedding_gradients", hint="Methods that end in _ write in place.")
def test_tokens_unchanged(agree: Agree, draw: Draw) -> None:
    """The tokens are left as they are."""
    agree.unchanged(embedding(agree), tokens(draw))


@item("embedding_gradients", crowded=True)
@meeting(IN_EMBEDDINGS)
def test_embedding_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, dtypes, layouts, modes, gradients, devices and calls may meet at will."""
    batch, t, d_model, dtype, is_relaid, is_trained, asked = met
    words, others = tokens(draw, batch, t), tokens(draw, batch, t)
    upstream = draw.normal(batch, t, d_model, dtype=dtype)
    made = made_for(embedding(agree, d_model), dtype, is_trained)
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": {0: others}}
    ask_there(agree, made, relaid(words) if is_relaid else words, **beside)


# position_added


@item("position_added", public=True, hint="Row 0 to the first word of each sentence, and so on.")
def test_added(agree: Agree, draw: Draw) -> None:
    """In eval mode the result is x plus the first t rows of the table."""
    agree(positions(agree), draw.normal(BATCH, T, D_MODEL))


@item(
    "position_added",
    hint="Which axis of x counts the positions, and which the sentences?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(("batch", "t"), [(1, 4), (3, 1), (7, 3), (13, 8), (4, 4), (1, 1)])
def test_added_sizes(agree: Agree, draw: Draw, batch: int, t: int) -> None:
    """So it is for any batch and any length, more sentences than positions included."""
    agree(positions(agree), draw.normal(batch, t, D_MODEL))


@item("position_added", hint="Is something added to x other than the table, or x scaled?")
@pytest.mark.parametrize("d_model", [2, 16, 130])
def test_added_widths(agree: Agree, draw: Draw, d_model: int) -> None:
    """So it is for any number of columns."""
    agree(positions(agree, d_model=d_model, max_len=64), draw.normal(BATCH, 61, d_model))


@item("position_added", hint="Does the place of a vector hang on what is in it, or before it?")
def test_added_to_zeros(agree: Agree, draw: Draw) -> None:
    """A vector of zeros has its place like any other, and so has what follows it."""
    x = draw.normal(BATCH, T, D_MODEL)
    x[0, 1] = x[1, T - 1] = 0.0
    agree(positions(agree), x)


@item("position_added", hint="Is the table indexed by the sentence instead of the position?")
def test_same_for_every_sentence(student: Student, agree: Agree, draw: Draw) -> None:
    """Sentences that are the same get the same result."""
    made, x = positions(agree), draw.normal(1, 3, D_MODEL).repeat(4, 1, 1)
    output = output_of(student, agree, made, (4, 3, D_MODEL), x)
    if not torch.equal(output, output[:1].expand_as(output)):
        agree.wrong(made, "four sentences that are the same get different results", x)


# position_lengths


@item(
    "position_lengths",
    public=True,
    hint="The table has how many rows? Which are used?",
    fits=("values", "shape"),
)
def test_full_length(agree: Agree, draw: Draw) -> None:
    """A sequence as long as max_len works."""
    agree(positions(agree, max_len=T), draw.normal(BATCH, T, D_MODEL))


@item(
    "position_lengths",
    hint="Does the length of the table follow max_len?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(
    ("max_len", "t", "d_model"), [(1, 1, 4), (17, 16, 8), (300, 300, 6), (5003, 5003, 2)]
)
def test_lengths(agree: Agree, draw: Draw, max_len: int, t: int, d_model: int) -> None:
    """Any max_len works up to its last position, above 5000 too."""
    agree(positions(agree, max_len=max_len, d_model=d_model), draw.normal(1, t, d_model))


@item("position_lengths", hint="Is something still there from the call before?")
def test_one_length_after_another(agree: Agree, draw: Draw) -> None:
    """After a shorter sequence, a longer one is right as well."""
    x, shorter = (draw.normal(BATCH, t, D_MODEL) for t in (T, T - 1))
    agree(positions(agree), x, before={0: shorter})


@item("position_lengths", hint="What is max_len when nobody says it?")
def test_default_length(agree: Agree, draw: Draw) -> None:
    """When max_len is not given, there are 5000 positions."""
    made = agree.module("PositionalEncoding", 4, dropout=0.0).without_loading()
    agree(made, draw.normal(1, 5000, 4))


@item("position_lengths", crowded=True)
@meeting(IN_POSITIONS)
def test_positions_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, rates, dtypes, layouts, modes, gradients and calls may meet at will."""
    batch, t, d_model, max_len, dropout, dtype, is_relaid, is_trained, asked = met
    x, other, upstream = (draw.normal(batch, t, d_model, dtype=dtype) for _ in range(3))
    made = positions(agree, d_model=d_model, max_len=max_len, dropout=dropout)
    made = made_for(made, dtype, is_trained)
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": {0: other}}
    ask_there(agree, made, relaid(x) if is_relaid else x, **beside)


# position_too_long


@item("position_too_long", public=True, hint="Compare t with max_len first; raise ValueError.")
def test_too_long(agree: Agree, draw: Draw) -> None:
    """A sequence longer than max_len raises a ValueError that names both."""
    made = positions(agree, max_len=9)
    agree.raises(ValueError, made, draw.normal(BATCH, 14, D_MODEL), naming=(14, 9))


@item("position_too_long", hint="Are both numbers in the message, and is max_len itself allowed?")
@pytest.mark.parametrize(("max_len", "t"), [(11, 12), (1, 30), (256, 1000)])
def test_more_too_long(agree: Agree, draw: Draw, max_len: int, t: int) -> None:
    """So it is with one position too many, and with many."""
    made = positions(agree, max_len=max_len)
    fits = (draw.normal(1, max_len - 1, D_MODEL),) if max_len > 1 else ()
    agree.raises(ValueError, made, draw.normal(1, t, D_MODEL), naming=(t, max_len), unlike=fits)


@item("position_too_long", hint="What is max_len when nobody says it?")
def test_longer_than_the_default(agree: Agree, draw: Draw) -> None:
    """When max_len is not given, 5001 positions raise a ValueError that names their number."""
    made = agree.module("PositionalEncoding", 4, dropout=0.0).without_loading()
    agree.raises(ValueError, made, draw.normal(1, 5001, 4), naming=(5001,))


# position_buffer


@item("position_buffer", public=True, hint="register_buffer: which of its arguments keeps it out?")
def test_state_dict(agree: Agree) -> None:
    """The state dict is empty: the table is neither a parameter nor saved."""
    agree.parameters(positions(agree))


@item(
    "position_buffer",
    public=True,
    hint="Is it a buffer of that name and shape, rather than a parameter?",
    fits=("values", "shape", "error"),
)
def test_buffer(agree: Agree) -> None:
    """The buffer `encoding` holds the table (max_len, d_model), and requires no gradient."""
    made = positions(agree, max_len=4)
    table = agree(made.of("get_buffer"), "encoding", outputs=("the buffer encoding",)).value
    if table.requires_grad:
        agree.wrong(made.of("get_buffer"), "it requires a gradient", "encoding")


@item(
    "position_buffer",
    hint="Is the table a buffer, so that the module takes it along?",
    fits=("values", "dtype", "device", "error"),
)
def test_buffer_follows_dtype(agree: Agree) -> None:
    """The table takes the dtype of the module, float32 or float64."""
    made = positions(agree, d_model=130, max_len=61)
    agree(made.of("get_buffer"), "encoding", outputs=("the buffer encoding",))
    agree(made.in_float32().of("get_buffer"), "encoding", outputs=("the buffer encoding",))


@item(
    "position_buffer",
    hint="Is the table a buffer, so that the module takes it along?",
    fits=("values", "dtype", "device", "error"),
)
def test_buffer_moves(agree: Agree, draw: Draw) -> None:
    """The table moves with the module, and the result is on its device, in either mode."""
    x = draw.normal(BATCH, T, D_MODEL)
    for made in (positions(agree), positions(agree, dropout=0.5).training()):
        agree(made, x, elsewhere=True, look_at=[])


@item(
    "position_buffer",
    hint="Is the table a buffer, so that the module takes it along?",
    fits=("values", "dtype", "device", "error"),
)
def test_buffer_moves_after_a_call(agree: Agree, draw: Draw) -> None:
    """The table moves with the module after a first call, too, and the result is on its device."""
    x, other = draw.normal(BATCH, T, D_MODEL), draw.normal(BATCH, T, D_MODEL)
    agree(positions(agree), x, before={0: other}, before_loading=True, elsewhere=True, look_at=[])


@item("position_buffer", hint="Does forward assign to self.encoding, or write to a slice of it?")
def test_buffer_stays(agree: Agree, draw: Draw) -> None:
    """A forward leaves the table as it is."""
    x = draw.normal(1, T, D_MODEL)
    agree(positions(agree), x, read=("encoding",), look_at=["encoding"])
    agree(positions(agree).training(), x, read=("encoding",), look_at=["encoding"])


# position_dropout: looked at on the student's own sums, whether these are right or not.


@item("position_dropout", public=True, hint="Is the sum dropped, or x or the table alone?")
def test_everything_dropped(agree: Agree, draw: Draw) -> None:
    """In train mode with dropout=1.0 all is 0, the encoding too."""
    x = 2 + draw.normal(BATCH, T, D_MODEL).abs()  # more than the table can take away: no -0
    agree(positions(agree, dropout=1.0).training(), x)


@item("position_dropout", hint="Does nn.Dropout take a rate of 1, or must it be held below?")
def test_all_of_many_dropped(agree: Agree) -> None:
    """With dropout=1.0 not one number in a thousand is left."""
    many = positions(agree, d_model=100, max_len=70, dropout=1.0).training()
    agree(many, torch.full((3, 60, 100), 2.0, dtype=torch.float64))


@item("position_dropout", hint="What says whether to drop: the module's mode, or something else?")
def test_everything_dropped_without_gradients(agree: Agree, draw: Draw) -> None:
    """In train mode numbers are dropped under torch.no_grad(), too."""
    x = 2 + draw.normal(BATCH, T, D_MODEL).abs()  # as above
    agree(positions(agree, dropout=1.0).training(), x, without_grad=True)


@item("position_dropout", hint="nn.Dropout knows its mode; F.dropout has to be told.")
@pytest.mark.parametrize("dropout", [0.0, 0.5, 1.0])
def test_no_dropout(student: Student, agree: Agree, draw: Draw, dropout: float) -> None:
    """In eval mode nothing is dropped, and in train mode nothing with dropout=0.0."""
    plain, x = positions(agree, d_model=12), draw.normal(BATCH, 7, 12)
    total = output_of(student, agree, plain, x.shape, x)
    made = agree.module("PositionalEncoding", 12, MAX_LEN, dropout).without_loading()
    if not torch.allclose(output_of(student, agree, made, x.shape, x), total):
        agree.wrong(made, "in eval mode the result depends on dropout", x)
    if not torch.allclose(output_of(student, agree, plain.training(), x.shape, x), total):
        agree.wrong(plain.training(), "something is dropped", x)


@item("position_dropout", hint="What is done to the numbers that stay, and which dropout is used?")
@pytest.mark.parametrize("dropout", [None, 0.25, 0.5])
def test_dropout(student: Student, agree: Agree, draw: Draw, dropout: float | None) -> None:
    """In train mode numbers are 0 or divided by 1 - dropout, each by itself; the default is 0.1."""
    x = draw.normal(7, 33, 12)
    said = {} if dropout is None else {"dropout": dropout}
    made = agree.module("PositionalEncoding", 12, max_len=40, **said).without_loading().training()
    total = output_of(student, agree, positions(agree, d_model=12, max_len=40), x.shape, x)
    output = output_of(student, agree, made, x.shape, x)
    kept = output != 0
    stays = 0.9 if dropout is None else 1 - dropout
    if not torch.allclose(output[kept] * stays, total[kept]):
        agree.wrong(made, f"what is not 0 is not the sum divided by {stays}", x)
    # Of 2772 numbers, the share of those that stay is within 0.05 of what it should be, always.
    if not abs(kept.double().mean() - stays) < 0.05:
        agree.wrong(made, f"about {stays} of the numbers should stay", x)
    if any((kept == kept.narrow(axis, 0, 1)).all() for axis in range(3)):
        agree.wrong(made, "numbers are dropped together, not each by itself", x)


@item("position_dropout", hint="Is what is kept drawn for every word, or once for all of them?")
def test_dropout_of_one_sentence(student: Student, agree: Agree, draw: Draw) -> None:
    """In a single sentence, too, each number is drawn for itself, not once for all positions."""
    made = agree.module("PositionalEncoding", 8, max_len=60, dropout=0.3).without_loading()
    x = torch.full((1, 50, 8), 5.0, dtype=torch.float64)  # more than the table can take away
    kept = output_of(student, agree, made.training(), x.shape, x) != 0
    if (kept == kept[:, :1]).all():
        problem = "what is dropped in one position is dropped in all of them"
        agree.wrong(made.training(), problem, x)
    if (kept == kept[..., :1]).all():
        agree.wrong(made.training(), "all numbers of a word are dropped together", x)


@item("position_dropout", hint="Is a generator seeded on the way, or is kept what it drew?")
def test_dropout_anew(student: Student, agree: Agree, draw: Draw) -> None:
    """In train mode every forward draws anew which numbers it drops."""
    made = agree.module("PositionalEncoding", 12, max_len=40, dropout=0.3).without_loading()
    made, x = made.training(), draw.normal(BATCH, 33, 12)
    first, second = (
        output_of(student, agree, made, x.shape, x, **how) == 0
        for how in ({}, {"before": {0: x}, "drawn_on": True})
    )
    if first.any() and (first == second).all():
        agree.wrong(made, "a second forward drops the very same numbers as the first", x)


# position_tensors: whether the sums are right is another item's question.


@item(
    "position_tensors", public=True, hint="Is something done outside of autograd?", fits="gradient"
)
def test_position_gradients(agree: Agree, draw: Draw) -> None:
    """The gradient of x is right."""
    x, upstream = draw.normal(BATCH, 3, D_MODEL), draw.normal(BATCH, 3, D_MODEL)
    agree(positions(agree), x, cotangents=(upstream,), look_at=[])


@item("position_tensors", hint="Is there another way through forward in train mode?")
@pytest.mark.parametrize("dropout", [0.0, 1.0])
def test_position_gradients_in_training(
    student: Student, agree: Agree, draw: Draw, dropout: float
) -> None:
    """In train mode, too, a gradient flows back to x, and be it 0 since all is dropped."""
    made = positions(agree, dropout=dropout).training()
    x = draw.normal(BATCH, T, D_MODEL).requires_grad_()
    (gradient,) = student.call(made, x, cotangents=(torch.ones(()),)).gradients
    if gradient is None:
        agree.wrong(made, "no gradient flows back to x", x)


@item("position_tensors", hint="Is something made in another dtype than x's?", fits="dtype")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_position_dtype(student: Student, agree: Agree, draw: Draw, dtype: torch.dtype) -> None:
    """A float32 module gives a float32 result, a float64 one a float64 result."""
    made = positions(agree)
    made = made.in_float32() if dtype == torch.float32 else made
    x = draw.normal(BATCH, T, D_MODEL, dtype=dtype)
    got = output_of(student, agree, made, x.shape, x).dtype
    if got != dtype:
        agree.wrong(made, f"expected dtype {dtype}, got {got}", x)


@item("position_tensors", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_position_non_contiguous(student: Student, agree: Agree, draw: Draw) -> None:
    """An x that is not contiguous in memory gives the same result."""
    made, x = positions(agree), draw.normal(D_MODEL, T, BATCH).transpose(0, 2)
    right = output_of(student, agree, made, x.shape, x.contiguous())
    if not torch.equal(output_of(student, agree, made, x.shape, x), right):
        agree.wrong(made, "it depends on the memory layout of x", x)


@item("position_tensors", hint="Is what you write to the sum itself, or a copy of it?")
def test_dropout_non_contiguous(student: Student, agree: Agree, draw: Draw) -> None:
    """In train mode an x that is not contiguous in memory is dropped like any other."""
    made = positions(agree, dropout=0.5).training()
    x = 2 + draw.normal(D_MODEL, T, 8).abs().transpose(0, 2)  # more than the table can take away
    kept, kept_here = (
        output_of(student, agree, made, x.shape, each) != 0 for each in (x.contiguous(), x)
    )
    if kept_here.all() and not kept.all():
        agree.wrong(made, "nothing is dropped, since x is not contiguous", x)


@item("position_tensors", hint="x += ... writes to x; x = x + ... does not.")
def test_position_leaves_x(agree: Agree, draw: Draw) -> None:
    """x is left as it is, in eval and in train mode."""
    x = draw.normal(BATCH, T, D_MODEL)
    agree.unchanged(positions(agree), x)
    agree.unchanged(positions(agree, dropout=0.5).training(), x)
    agree.unchanged(positions(agree), x, without_grad=True)
