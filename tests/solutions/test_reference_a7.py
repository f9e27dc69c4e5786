"""The reference of a7_faster_decoding against greedy_decode and the decoder as they are given."""

import sys

import pytest
import torch
from reference import ROOT, load_reference, load_shared

from autograder.course import read_course
from autograder.grading import prepare

START, END = 1, 2
SIZES = 11, 13, 12, 3, 20

a7 = load_reference("a7_faster_decoding")


def a_model(seed, n_layers=2, **kwargs):
    """A model that writes all kinds of words: what is the same in all logits is taken away."""
    torch.manual_seed(seed)
    model = a7.Transformer(*SIZES, n_layers, **kwargs).double().eval()
    with torch.no_grad():
        source, target = torch.randint(1, 11, (16, 7)), torch.randint(1, 13, (16, 5))
        model.decoder.layers[0].cross_attn.out_proj.weight *= 8  # so that it listens
        model.output.bias -= model(source, target).mean((0, 1))
    return model


@pytest.mark.parametrize("seed", range(12))
def test_the_same_words(seed):
    pad_id = (0, 4)[seed % 2]
    model = a_model(seed, n_layers=1 + seed % 3, pad_id=pad_id, max_len=10)
    source = torch.randint(1, 11, (20, 7))
    source[5:10, 4:] = source[10:15, 2:] = pad_id
    source[:, 0] = 3  # no query is left without a key
    for end_id in (END, 5, -1):
        asked = model, source, START, end_id, 10
        assert torch.equal(a7.greedy_decode_cached(*asked), a7.greedy_decode(*asked))


def test_the_sample_writes_pads_among_words_and_ends():
    model = a_model(0, max_len=10)
    source = torch.randint(1, 11, (60, 7))
    written = a7.greedy_decode(model, source, START, -1, 10)
    (end_id,) = written[:1, 3].tolist()
    written = a7.greedy_decode(model, source, START, end_id, 10)
    ended = (written == end_id).any(1)
    assert ended.any()
    assert not ended.all()
    pads = (written == 0) & ~ended[:, None]
    assert pads[:, :-1].any()


def test_a_step_is_the_last_position_of_all():
    model = a_model(3, n_layers=3)
    source, target = torch.randint(1, 11, (4, 7)), torch.randint(1, 13, (4, 6))
    source[1, 4:] = target[2, 3] = target[3, 5] = 0
    right = model.decode(target, model.encode(source), source)
    keys, values, *memory = a7.start_cache(model, source)
    for t in range(1, 7):
        x, keys, values = a7.decoder_step(model, target[:, :t], source, keys, values, *memory)
        assert torch.allclose(x, right[:, t - 1 : t], rtol=0, atol=1e-12)
    assert keys.shape == values.shape == (3, 4, 3, 6, 4)


def test_the_notebook_counts_the_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "given", load_shared("given"))
    counted = load_shared("a7_faster_decoding.counted")
    right, wrong = counted.work(vars(a7))
    assert "129,204 multiplications for 32 tokens" in right
    assert wrong is None
    right, wrong = counted.work({"greedy_decode_cached": a7.greedy_decode})
    assert right is None
    assert "1,630,092 multiplications for 32 tokens; 193,806" in wrong


def test_the_notebook_counts_as_the_grader_does(monkeypatch):
    from autograder.sandbox.work import Work

    monkeypatch.setitem(sys.modules, "given", load_shared("given"))
    counted = load_shared("a7_faster_decoding.counted")
    model, source = a_model(1), torch.randint(1, 11, (2, 7))
    asked = model, source, START, -1, 9
    with Work() as work:
        a7.greedy_decode_cached(*asked)
    assert work.multiplications == counted.multiplications(a7.greedy_decode_cached, *asked)


@pytest.mark.parametrize("secret", ["secret 65", "secret 149", "secret 239"])
def test_a_model_that_writes_pads_is_found_for_every_secret(secret):
    """Of these the first model that is drawn writes none that matters, whatever the source."""
    exam = prepare(read_course(ROOT), "a7_faster_decoding", secret)
    # And what is enough work is what the notebook says, to which the sizes are known once more.
    assert [x.asked.most_work for x in exam.bank.cases if x.item == "cached_work"] == [193_806]
