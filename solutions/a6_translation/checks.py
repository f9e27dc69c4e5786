"""Checks of a6_translation. A check's docstring is the sentence that a student reads.

The trained weights are read, never run: they are loaded into the reference of a5, which then
translates numbers that no student was given.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load, save

from autograder.checking import Agree, Draw, LocalStudent, Student, Wrong, read_weights

from ..inputs import draw_tokens
from ..meetings import Meeting, ask_there, meeting, relaid
from .number_words import in_words, unseen_numbers

BATCH, T, VOCAB = 2, 5, 7
LOSS = "smoothed_loss"
WEIGHTS = "weights.safetensors"
HUGE = 1e4
# Sentences, tokens, what of the first is padding, pad_id, smoothing, how large, dtype; if relaid;
# what is asked.
MEETINGS = [
    (1, 1, "none", 0, 0.1, 1, torch.float64, True, "device"),
    (1, 7, "some", 0, 0.0, 300, torch.float64, False, "gradients"),
    (1, 300, "some", 0, 1.0, 1, torch.float32, True, "in place"),
    (1, 300, "some", 4, 0.0, 300, torch.float32, True, "device"),
    (3, 1, "none", 4, 0.0, 300, torch.float64, False, "in place"),
    (3, 1, "row", 4, 1.0, 300, torch.float64, False, "gradients"),
    (3, 1, "row", 0, 0.1, 300, torch.float32, True, "in place"),
    (3, 7, "none", 4, 1.0, 300, torch.float32, True, "in place"),
    (3, 7, "row", 4, 0.0, 1, torch.float32, False, "device"),
    (3, 7, "some", 0, 0.1, 1, torch.float32, True, "gradients"),
    (3, 300, "none", 4, 0.1, 300, torch.float64, False, "gradients"),
    (3, 300, "row", 0, 1.0, 1, torch.float64, False, "device"),
]

item = pytest.mark.item


def words(draw: Draw, batch: int = BATCH, t: int = T, vocab_size: int = VOCAB) -> torch.Tensor:
    """Tokens without padding."""
    return draw_tokens(draw, batch, t, vocab_size).clamp(min=1)


def padded(draw: Draw) -> torch.Tensor:
    """Three sentences of seven places: padding in the middle, at both ends, nothing but padding."""
    target = words(draw, 3, 7)
    target[0, 3] = 0
    target[1, 0] = 0
    target[1, 5:] = 0
    target[2] = 0
    return target


# loss_value


@item("loss_value", public=True, hint="Work out one token by hand: both sums of the formula.")
def test_loss(agree: Agree, draw: Draw) -> None:
    """Without padding, the loss is the smoothed cross-entropy, the mean over all tokens."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB), words(draw))


@item("loss_value", public=True, hint="Without smoothing, only the right word counts.")
def test_loss_without_smoothing(agree: Agree, draw: Draw) -> None:
    """With smoothing 0 it is the plain cross-entropy."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB), words(draw), smoothing=0.0)


@item("loss_value", hint="Does the right word get its share of the smoothing too?")
@pytest.mark.parametrize("smoothing", [0.1, 0.3, 1.0])
def test_loss_follows_smoothing(agree: Agree, draw: Draw, smoothing: float) -> None:
    """The smoothing is divided equally among all words, whatever it is."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB), words(draw), smoothing=smoothing)


@item(
    "loss_value",
    hint="Is the size of the vocabulary read from the logits?",
    fits=("values", "shape"),
)
@pytest.mark.parametrize(
    ("batch", "t", "vocab"),
    [(1, 6, 4), (3, 1, 5), (1, 1, 2), (4, 6, 50), (37, 29, 3)],  # the last: no round number of them
)
def test_loss_sizes(agree: Agree, draw: Draw, batch: int, t: int, vocab: int) -> None:
    """Batches, sentences and vocabularies may have any size."""
    agree(LOSS, draw.normal(batch, t, vocab), words(draw, batch, t, vocab))


@item("loss_value", hint="Is something still there from the call before?")
def test_another_smoothing(agree: Agree, draw: Draw) -> None:
    """The smoothing is that of this call, whatever it was in another."""
    agree(LOSS, draw.normal(2, 3, 13), words(draw, 2, 3, 13), smoothing=0.3)  # the first with 13
    logits, target = draw.normal(2, 3, 14), words(draw, 2, 3, 14)
    agree(LOSS, logits, target, smoothing=0.2, before={"smoothing": 0.4})


# loss_padding


@item("loss_padding", public=True, hint="By what do you divide, and does a pad add anything?")
def test_padding(agree: Agree, draw: Draw) -> None:
    """The mean is over the real tokens of the whole batch; padding counts nowhere."""
    agree(LOSS, draw.normal(3, 7, VOCAB), padded(draw))


@item("loss_padding", hint="Is the mean that of all real tokens, or one of each sentence first?")
@pytest.mark.parametrize("smoothing", [0.0, 0.4, 1.0])
def test_padding_with_any_smoothing(agree: Agree, draw: Draw, smoothing: float) -> None:
    """Padding does not count, whatever the smoothing is, 0 and 1 included."""
    agree(LOSS, draw.normal(3, 7, VOCAB), padded(draw), smoothing=smoothing)


@item("loss_padding", public=True, hint="Is a loss of 0 taken for the sign of padding?")
def test_certainty_counts(agree: Agree, draw: Draw) -> None:
    """A token whose own loss is exactly 0 counts among the real ones."""
    logits, target = draw.normal(BATCH, T, VOCAB), words(draw)
    logits[0].scatter_(-1, target[0].unsqueeze(-1), 1000.0)
    agree(LOSS, logits, target, smoothing=0.0)


@item("loss_padding", hint="Is pad_id used, or is 0 written out?")
def test_padding_pad_id(agree: Agree, draw: Draw) -> None:
    """The id of the padding may be any, and 0 is a real word then."""
    target = padded(draw) - 1  # -1 where there is padding
    target = torch.where(target < 0, VOCAB - 1, target)
    target[0, 1] = 0
    agree(LOSS, draw.normal(3, 7, VOCAB), target, pad_id=VOCAB - 1)


@item("loss_padding", hint="What becomes of the logits where there is nothing to predict?")
def test_logits_at_padding(agree: Agree, draw: Draw) -> None:
    """Logits where the target is padding change nothing, however large they are."""
    logits, target = draw.normal(3, 7, VOCAB), padded(draw)
    before = agree(LOSS, logits, target).value
    logits[target == 0] = HUGE * draw.normal(VOCAB)
    after = agree(LOSS, logits, target).value
    if not torch.allclose(before, after, rtol=1e-12):
        agree.wrong(LOSS, "logits at padding were changed, and so was the loss", logits, target)


# loss_large_logits


@item(
    "loss_large_logits",
    public=True,
    hint="log_softmax can do what log after softmax cannot.",
    fits="infinite",
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_large_logits(agree: Agree, draw: Draw, dtype: torch.dtype) -> None:
    """Logits of ten thousand, of either sign, give the right loss."""
    agree(LOSS, (HUGE * draw.normal(BATCH, T, VOCAB)).to(dtype), words(draw))


@item(
    "loss_large_logits",
    hint="Subtract the largest logit before you take an exponential.",
    fits="infinite",
)
@pytest.mark.parametrize("level", [-HUGE, HUGE])
def test_logits_far_from_0(agree: Agree, draw: Draw, level: float) -> None:
    """Logits that are all very large, or all very small, give the right loss."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB) + level, words(draw), smoothing=0.0)


@item(
    "loss_large_logits", hint="Is there a logarithm of 0, though it is not used?", fits="infinite"
)
def test_gradient_of_large_logits(student: Student, agree: Agree, draw: Draw) -> None:
    """The gradient of large logits is as finite as their loss."""
    logits, target = (HUGE * draw.normal(BATCH, T, VOCAB)).requires_grad_(), words(draw)
    (gradient,) = student.call(LOSS, logits, target, cotangents=(torch.ones(()),)).gradients
    if gradient is not None and not gradient.isfinite().all():
        agree.wrong(LOSS, "its gradient is not finite", logits, target)


# loss_gradients


@item("loss_gradients", public=True, hint="Is a step done outside of autograd?", fits="gradient")
def test_gradient(agree: Agree, draw: Draw) -> None:
    """The gradient of the logits is right."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB), words(draw), cotangents=(draw.normal(),))


@item(
    "loss_gradients",
    hint="Through which path does a padded place still get a gradient?",
    fits="gradient",
)
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_gradient_with_padding(agree: Agree, draw: Draw, smoothing: float) -> None:
    """With padding the gradient is right, and exactly 0 where the target is padding."""
    logits, target = draw.normal(3, 7, VOCAB), padded(draw)
    upstream = (draw.normal(),)
    agree(LOSS, logits, target, smoothing=smoothing, cotangents=upstream, exact_zeros=True)


# loss_tensors


@item(
    "loss_tensors",
    public=True,
    hint="Is a constant made in another dtype than the logits'?",
    fits="dtype",
)
def test_float32(agree: Agree, draw: Draw) -> None:
    """float32 logits give a float32 loss."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB, dtype=torch.float32), words(draw))


@item("loss_tensors", hint="view needs contiguous memory; reshape does not.", fits="layout")
def test_non_contiguous(agree: Agree, draw: Draw) -> None:
    """Inputs that are not contiguous in memory, such as transposed ones, work as well."""
    agree(LOSS, draw.normal(T, BATCH, VOCAB).transpose(0, 1), words(draw))
    agree(LOSS, draw.normal(BATCH, VOCAB, T).transpose(1, 2), words(draw).T.contiguous().T)


@item("loss_tensors", hint="Methods that end in _, and operators such as /=, write in place.")
def test_inputs_unchanged(agree: Agree, draw: Draw) -> None:
    """The logits and the target are left as they are."""
    logits, target = draw.normal(3, 7, VOCAB), padded(draw)
    agree.unchanged(LOSS, logits, target)
    target = target.masked_fill(target == 0, VOCAB - 1)
    agree.unchanged(LOSS, logits, target, pad_id=VOCAB - 1)


@item("loss_tensors", hint="On which device is a new tensor made?", fits="device")
def test_device(agree: Agree, draw: Draw) -> None:
    """The loss is on the device of the inputs."""
    agree(LOSS, draw.normal(BATCH, T, VOCAB), words(draw), elsewhere=True)


@item("loss_tensors", crowded=True)
@meeting(MEETINGS)
def test_where_two_meet(agree: Agree, draw: Draw, met: Meeting) -> None:
    """Sizes, padding, smoothing, logits, dtypes, layouts, gradients, devices and calls may meet."""
    batch, t, pads, pad_id, smoothing, times, dtype, is_relaid, asked = met

    def drawn() -> dict[Any, Any]:
        target = words(draw, batch, t)
        target = target.masked_fill(target == pad_id, pad_id + 1)
        if pads != "none":
            target[0, :: 1 if pads == "row" else 2] = pad_id
        found = {0: times * draw.normal(batch, t, VOCAB, dtype=dtype), 1: target}
        return {at: relaid(each) if is_relaid else each for at, each in found.items()}

    upstream = draw.normal(dtype=dtype)
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": drawn()}
    ask_there(agree, LOSS, *drawn().values(), **beside, pad_id=pad_id, smoothing=smoothing)


# warmup_rate


@item("warmup_rate", public=True, hint="Which of the two is smaller, and from which step on?")
def test_rate(agree: Agree) -> None:
    """The rate is right at step 1, during the warm-up, at its last step and after it."""
    for step in (1, 30, 80, 81, 1000):
        agree("warmup_rate", step, 64, 80)


@item("warmup_rate", hint="Are d_model and warmup_steps used, each in its place?")
@pytest.mark.parametrize(("d_model", "warmup_steps"), [(512, 4000), (16, 7), (100, 1), (1, 2)])
def test_rate_follows_its_arguments(agree: Agree, d_model: int, warmup_steps: int) -> None:
    """The rate follows d_model and warmup_steps."""
    for step in (1, 2, warmup_steps, warmup_steps + 1, 20 * warmup_steps):
        agree("warmup_rate", step, d_model, warmup_steps)


@item("warmup_rate", hint="How far does the rate fall by the formula?")
def test_rate_falls_on(agree: Agree) -> None:
    """Long after the warm-up the rate still falls, however small it is."""
    agree("warmup_rate", 10**6, 2**20, 4000)  # less than a millionth, and a tenth of the largest


@item("warmup_rate", hint="Is something still there from the call before?")
def test_rate_after_another(agree: Agree) -> None:
    """After a call with another warmup_steps, or another d_model, those of this call count."""
    agree("warmup_rate", 3, 96, 5, before={2: 40})
    agree("warmup_rate", 4, 72, 9, before={1: 24})


# translation_most, translation_nearly_all


@item(
    "translation_most",
    hint="Train longer, or look at what the decoder reads and predicts.",
    notebook="tried.most",
)
def test_most_numbers(
    handed_in: Path,
    reference: LocalStudent,
    reference_of: Callable[[str], LocalStudent],
    draw: Draw,
) -> None:
    """The weights that were handed in translate most numbers without a mistake."""
    look_at_translations(handed_in, reference, reference_of("a5_transformer"), draw, least=0.8)


@item(
    "translation_nearly_all",
    hint="What do the numbers that it gets wrong have in common?",
    notebook="tried.nearly_all",
)
def test_nearly_all_numbers(
    handed_in: Path,
    reference: LocalStudent,
    reference_of: Callable[[str], LocalStudent],
    draw: Draw,
) -> None:
    """The weights that were handed in translate nearly all numbers without a mistake."""
    look_at_translations(handed_in, reference, reference_of("a5_transformer"), draw, least=0.99)


def look_at_translations(
    handed_in: Path, a6: LocalStudent, a5: LocalStudent, draw: Draw, least: float, count: int = 500
) -> None:
    model = a5.get("Transformer")(**a6.get("SIZES")).eval()
    weights = read_weights(handed_in, WEIGHTS, model.state_dict())
    unseen = unseen_numbers()
    chosen = draw.normal(len(unseen)).argsort()[:count].tolist()
    spanish, english = zip(*(in_words(unseen[each]) for each in chosen), strict=True)
    found = translations(save(weights), spanish, a6, a5)
    answers = zip(spanish, english, found, strict=True)
    mistakes = [each for each in answers if each[1] != each[2]]
    share = 1 - len(mistakes) / count
    if share < least:
        question, right, said = mistakes[0]
        raise Wrong(
            f"{WEIGHTS} translates {share:.1%} of {count} numbers that it never saw, of which at "
            f"least {least:.0%} must be right. For {question!r} it says {said!r}, not {right!r}."
        )


@lru_cache(maxsize=4)  # some hand in the same: a group, or the weights that come with the course
def translations(
    weights: bytes, spanish: tuple[str, ...], a6: LocalStudent, a5: LocalStudent
) -> Sequence[str]:
    """What a model with these weights, as they are in a file, makes of the sentences."""
    model = a5.get("Transformer")(**a6.get("SIZES")).eval()
    model.load_state_dict(load(weights))
    source = a6.get("to_ids")(spanish, a6.get("SPANISH"))
    ids = [a6.get(name) for name in ("START", "END", "MAX_LEN")]
    in_english: Sequence[str] = a6.get("to_sentences")(
        a5.get("greedy_decode")(model, source, *ids), a6.get("ENGLISH")
    )
    return in_english
