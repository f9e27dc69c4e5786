"""The whole Transformer that is given: its masks, its numbers, and greedy decoding word by word."""

import copy

import pytest
import torch
from given_parts import SENTENCES, SOURCE, TARGET, assert_close, filled, given, small, writer


def test_a_transformers_masks_equal_plain_loops():
    model = small(pad_id=1)
    assert model.source_mask(SOURCE).tolist() == [[[[t != 1 for t in r]]] for r in SOURCE.tolist()]
    seen = [
        [[[row[j] != 1 and j <= i for j in range(len(row))] for i in range(len(row))]]
        for row in TARGET.tolist()
    ]
    assert model.target_mask(TARGET).tolist() == seen


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_padding_all_over_makes_no_nan(dropout):
    model = filled(small(dropout=dropout))
    logits = model(torch.zeros_like(SOURCE), TARGET)
    logits.square().sum().backward()
    assert logits.isfinite().all()
    assert all(each.grad.isfinite().all() for each in model.parameters())


def test_float32_stays_float32_and_a_copy_is_a_copy():
    model = small().eval()
    twin = copy.deepcopy(model)
    with torch.no_grad():
        expected = model(SOURCE, TARGET)
        assert expected.dtype == torch.float32
        assert_close(twin(SOURCE, TARGET), expected, 0)
        for each in model.parameters():
            each.zero_()
        assert_close(twin(SOURCE, TARGET), expected, 0)
        twin.double()
        assert twin(SOURCE, TARGET).dtype == torch.float64
        assert_close(twin(SOURCE, TARGET).float(), expected, 1e-4)


def row_by_row(model, source, start_id, end_id, max_len):
    """Each sentence alone, and each word from the logits of all the words before it."""
    written = []
    for row in source:
        words = [start_id]
        while len(words) < max_len and (len(words) == 1 or words[-1] != end_id):
            logits = model(row[None], torch.tensor([words]))
            words.append(logits[0, -1].argmax().item())
        written.append(words)
    width = max(map(len, written))
    return [words + [model.pad_id] * (width - len(words)) for words in written]


@pytest.mark.parametrize("pad_id", [0, 6])
@pytest.mark.parametrize("end_id", range(13))
def test_greedy_decode_equals_one_row_at_a_time(end_id, pad_id):
    model = writer(pad_id=pad_id)
    for max_len in (1, 2, 9):
        written = given.greedy_decode(model, SENTENCES, 1, end_id, max_len)
        assert written.dtype == torch.int64
        assert written.tolist() == row_by_row(model, SENTENCES, 1, end_id, max_len)


@pytest.mark.parametrize("pad_id", [0, 6])
def test_the_rows_of_the_last_test_end_at_different_steps(pad_id):
    model = writer(pad_id=pad_id)
    rows = [row_by_row(model, SENTENCES, 1, end_id, 9) for end_id in range(13)]
    widths = [{len(row) - row.count(pad_id) for row in each} for each in rows]
    assert any(len(each) > 2 for each in widths)
    assert any(len(each[0]) < 9 for each in rows)


@pytest.mark.parametrize("training", [True, False])
def test_greedy_decode_leaves_the_model_as_it_was(training):
    model = writer(dropout=0.5).train(training)
    model.decoder.layers[0].train(not training)
    before = {name: each.training for name, each in model.named_modules()}
    written = given.greedy_decode(model, SOURCE, 1, 2, 6)
    assert {name: each.training for name, each in model.named_modules()} == before
    assert written.tolist() == row_by_row(model.eval(), SOURCE, 1, 2, 6)


def test_greedy_decode_restores_the_mode_after_an_error():
    model = small(max_len=7)
    with pytest.raises(ValueError, match="max_len=7"):
        given.greedy_decode(model, SOURCE, 1, -1, 12)
    assert model.training
    assert model.encoder.layers[0].training
