"""An earlier part that fails hides no mistake of a later one."""

import pytest

LAYERS = "a4_layers"


@pytest.fixture(scope="module")
def sources(exam_of):
    return {each.name: each.source for each in exam_of(LAYERS).source.reference}


@pytest.fixture(scope="module")
def raising(sources):
    """A FeedForward that looks for what is not there."""
    wrong = sources["feed_forward"].replace("self.linear1(x)", "self.lin1(x)")
    assert wrong != sources["feed_forward"]
    return wrong


def test_a_known_mistake_is_named_behind_an_exception(items_with, sources, raising):
    wrong = sources["decoder_layer"].replace("self.norm1(x + ", "self.norm1(")
    assert wrong != sources["decoder_layer"]
    items = items_with(LAYERS, feed_forward=raising, decoder_layer=wrong)
    assert "has no attribute 'lin1'" in items["feed_forward_output"].message
    lines = items["decoder_output"].message.splitlines()
    assert lines[0] == "Once FeedForward is replaced by a right one, this is left:"
    assert "lin1" not in "".join(lines)
    assert items["decoder_output"].faults
    assert items["encoder_output"].verdict == "carried"


def test_what_is_known_is_known_behind_an_exception(items_with, sources, raising):
    wrong = sources["decoder_layer"].replace("self.norm1(x", "self.norm1(0.7 * x")
    assert wrong != sources["decoder_layer"]
    items = items_with(LAYERS, feed_forward=raising, decoder_layer=wrong)
    item = items["decoder_output"]
    assert item.verdict == "wrong"
    assert item.diagnosis is None
    assert "Shapes and dtypes are right." in item.known
    assert item.known.startswith("No known mistake explains what DecoderLayer gives.")


def test_a_stub_hides_nothing_either(items_with, sources):
    stub = sources["feed_forward"].replace(
        "self.linear1 = ", "raise NotImplementedError()\n        self.linear1 = "
    )
    wrong = sources["encoder_layer"].replace("self.norm1(x + ", "self.norm1(")
    items = items_with(LAYERS, feed_forward=stub, encoder_layer=wrong)
    assert items["feed_forward_output"].verdict == "missing"
    assert items["encoder_output"].faults
    assert items["decoder_output"].verdict == "carried"


def test_whether_a_mistake_is_all_is_asked_behind_an_exception(items_with, sources, raising):
    """Its parameters cannot be loaded: it is asked again, and FeedForward as it is would raise."""
    wrong = sources["decoder_layer"].replace("cross_attn", "multihead_attn")
    assert wrong != sources["decoder_layer"]
    items = items_with(LAYERS, feed_forward=raising, decoder_layer=wrong)
    assert items["decoder_output"].verdict == "wrong"
    assert items["decoder_output"].faults.keys() == {"decoder_layer.CrossAttentionOfTorch"}
    assert items["decoder_masks"].verdict == "carried"


def test_the_line_of_an_unknown_mistake_is_told_behind_an_exception(result_with, sources, raising):
    wrong = sources["decoder_layer"].replace("self.norm1(x", "self.norm1(0.7 * x")
    result = result_with(LAYERS, locate=True, feed_forward=raising, decoder_layer=wrong)
    places = [each.place for each in result.mistakes if each.kind == "line"]
    number = 1 + wrong[: wrong.index("0.7")].count("\n")
    assert ("decoder_layer", number) in [(each.cell, each.line) for each in places]
    items = {each.item: each for each in result.items}
    assert items["decoder_output"].verdict == "wrong"
    assert items["decoder_masks"].verdict == "carried"


def test_what_an_earlier_part_raises_is_not_a_mistake_of_a_later_one(items_with, exam_of):
    """Where its mask is made on another device, so could the first token be; but it is not.

    What is made of max_len is too small for the error that is asked for: no one mistake of the
    Transformer explains all of that, so that none is taken to be at work in what comes later.
    """
    of = {each.name: each.source for each in exam_of("a5_transformer").source.reference}
    device = of["transformer"].replace(
        "causal_mask(target.shape[1], device=target.device)",
        "self.causal[: target.shape[1], : target.shape[1]]",
    )
    made = "self.pad_id = pad_id\n"
    device = device.replace(made, f"{made}        self.causal = causal_mask(max_len)\n")
    care = of["greedy_decode"].replace("word.masked_fill(ended, model.pad_id)", "word")
    care = care.replace("ended = ended | (word == end_id)", "ended = word == end_id")
    assert device != of["transformer"]
    assert care.count("word == end_id") == 1
    items = items_with("a5_transformer", transformer=device, greedy_decode=care)
    assert items["greedy_end"].faults.keys() == {"greedy_decode.EndsOnlyAllAtOnce"}
    assert items["greedy_care"].faults.keys() == {"greedy_decode.EndsOnlyAllAtOnce"}
    assert items["transformer_tensors"].faults.keys() == {
        "transformer.CausalMaskOnTheDefaultDevice"
    }


def test_a_right_part_that_does_not_fit_tells_nothing(items_with, exam_of):
    """Theirs takes another argument: what is put in its place cannot be called as theirs is."""
    of = {each.name: each.source for each in exam_of("a3_positional_encoding").source.reference}
    table = of["sinusoidal_encoding"].replace("d_model):", "d_model, on=None):")
    table = table.replace("if d_model % 2", "if d_model < 0")
    places = of["positional_encoding"].replace(
        "sinusoidal_encoding(max_len, d_model)", "sinusoidal_encoding(max_len, d_model, on=None)"
    )
    places = places.replace("if t > max_len", "if t < 0")
    assert "d_model, on=None):" in table
    assert "d_model < 0" in table
    assert "on=None)" in places
    assert "t < 0" in places
    cells = {"sinusoidal_encoding": table, "positional_encoding": places}
    items = items_with("a3_positional_encoding", **cells)
    assert items["encoding_odd_size"].verdict == "wrong"
    assert items["position_too_long"].faults.keys() == {"positional_encoding.TooLongUnnoticed"}
    assert "unexpected keyword" not in items["position_too_long"].message
