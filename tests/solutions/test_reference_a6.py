"""The reference of a6_translation against torch's own loss, and its loop on a small task."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ROOT, load_reference, load_shared
from safetensors.torch import load_file

FOLDER = ROOT / "solutions" / "a6_translation"
words = load_shared("a6_translation.number_words")
as_table, in_words = words.as_table, words.in_words
released_numbers, unseen_numbers = words.released_numbers, words.unseen_numbers
relaxed = settings(deadline=None, max_examples=60)  # torch's first calls are slow


@pytest.fixture(scope="module")
def a6():
    return load_reference("a6_translation")


@pytest.fixture(scope="module")
def pairs():
    lines = (FOLDER / "numbers.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")[1:]) for line in lines]


@st.composite
def problems(draw):
    """Logits, targets with padding anywhere (a whole sentence too), the pad id, the smoothing."""
    batch, t, vocab = (draw(st.integers(low, high)) for low, high in ((1, 4), (1, 6), (2, 9)))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from([0.1, 1.0, 30.0]))
    logits = spread * torch.randn(batch, t, vocab, dtype=torch.float64, generator=generator)
    target = torch.randint(vocab, (batch, t), generator=generator)
    pad_id = draw(st.integers(0, vocab - 1))
    target[torch.rand(batch, t, generator=generator) < draw(st.sampled_from([0, 0.5]))] = pad_id
    if draw(st.booleans()):
        target[-1] = pad_id
    target[0, 0] = (pad_id + 1) % vocab  # one is real
    return logits, target, pad_id, draw(st.sampled_from([0.0, 0.1, 0.7, 1.0]))


def torchs(logits, target, pad_id, smoothing):
    return F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


@relaxed
@given(problem=problems())
def test_loss_and_gradient_equal_those_of_torch(a6, problem):
    logits, target, pad_id, smoothing = problem
    ours, theirs = (logits.clone().requires_grad_() for _ in range(2))
    found = a6.smoothed_loss(ours, target, pad_id, smoothing)
    expected = torchs(theirs, target, pad_id, smoothing)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    found.backward()
    expected.backward()
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-12, atol=1e-12)
    assert (ours.grad[target == pad_id] == 0).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_loss_of_huge_logits_is_torchs(a6, dtype):
    generator = torch.Generator().manual_seed(0)
    logits = 1e4 * torch.randn(3, 5, 7, dtype=dtype, generator=generator)
    target = torch.randint(7, (3, 5), generator=generator)
    found = a6.smoothed_loss(logits, target)
    assert found.dtype == dtype
    torch.testing.assert_close(found, torchs(logits, target, 0, 0.1))


@pytest.mark.parametrize(("d_model", "warmup_steps"), [(512, 4000), (64, 200), (100, 1)])
def test_rate_rises_evenly_to_its_peak_and_falls_with_the_root(a6, d_model, warmup_steps):
    def rate(step):
        return a6.warmup_rate(step, d_model, warmup_steps)

    peak = (d_model * warmup_steps) ** -0.5
    assert rate(warmup_steps) == pytest.approx(peak, rel=1e-12)
    assert rate(1) == pytest.approx(peak / warmup_steps, rel=1e-12)
    assert rate(4 * warmup_steps) == pytest.approx(peak / 2, rel=1e-12)
    assert max(range(1, 3 * warmup_steps), key=rate) == warmup_steps


def test_there_and_back_again(a6, pairs):
    spanish, english = zip(*pairs[:200], strict=True)
    for sentences, vocabulary in ((spanish, a6.SPANISH), (english, a6.ENGLISH)):
        ids = a6.to_ids(sentences, vocabulary)
        assert ids.shape[1] <= a6.MAX_LEN
        assert tuple(a6.to_sentences(ids, vocabulary)) == sentences


def test_a_short_run_improves(a6, pairs):
    torch.manual_seed(0)
    model = a6.new_model()
    history = a6.train(model, pairs[:512], pairs[512:532], n_epochs=4, batch_size=32)
    losses = [loss for loss, _ in history]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.6 * losses[0]


# The numbers


def test_the_table_is_what_its_script_writes():
    assert (FOLDER / "numbers.tsv").read_text(encoding="utf-8") == as_table()


def test_the_vocabularies_have_all_words_and_no_others(a6):
    words = [set(), set()]
    for number in [*range(0, 1000), *range(1000, 100_000, 37), *range(1000, 100_000, 1000)]:
        for found, told in zip(words, in_words(number), strict=True):
            found |= set(told.split())
            assert len(told.split()) + 2 <= a6.MAX_LEN
    special = {"<pad>", "<start>", "<end>"}
    assert words == [set(a6.SPANISH) - special, set(a6.ENGLISH) - special]
    for vocabulary in (a6.SPANISH, a6.ENGLISH):
        assert len(set(vocabulary)) == len(vocabulary)
        assert [vocabulary[id] for id in (a6.PAD, a6.START, a6.END)] == [
            "<pad>",
            "<start>",
            "<end>",
        ]


def test_released_and_unseen_numbers_share_none():
    released = released_numbers()
    assert len(released) == len(set(released)) == 5500
    assert len(unseen_numbers()) == 94_500
    assert not set(released) & set(unseen_numbers())


def test_spanish_shortens_one_before_a_thousand():
    assert in_words(21_021) == ("veintiún mil veintiuno", "twenty one thousand and twenty one")
    assert in_words(31_000)[0] == "treinta y un mil"
    assert in_words(1_101)[0] == "mil ciento uno"


# The weights


def test_the_committed_weights_translate_in_either_transformer(a6):
    weights = load_file(FOLDER / "weights.safetensors")
    a5 = load_reference("a5_transformer")
    source = a6.to_ids([in_words(number)[0] for number in unseen_numbers()[::900]], a6.SPANISH)
    ids = a6.START, a6.END, a6.MAX_LEN
    tokens = []
    for names in (a5, a6):
        model = names.Transformer(**a6.SIZES)
        model.load_state_dict(weights)
        tokens.append(names.greedy_decode(model, source, *ids))
    assert torch.equal(*tokens)
    english = [in_words(number)[1] for number in unseen_numbers()[::900]]
    found = a6.to_sentences(tokens[0], a6.ENGLISH)
    assert sum(map(str.__eq__, found, english)) >= 0.99 * len(english)
