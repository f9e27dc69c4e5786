"""Mistakes that meet in code which nobody foresaw: each of them is named, and no other."""

import pytest

MET = {
    # Of the two in each first case, one shows alone where a single word is written.
    ("a5_transformer", "fed_one_word_at_a_time"): {
        *("greedy_decode.OneTooMany", "greedy_decode.LastTokenOnly"),
        "greedy_decode.TheStartCountsAsAnEndThatIsSeenLater",
    },
    # Five faults explain its first case, and all but one would show where it is right.
    ("a7_faster_decoding", "float16_minimum"): {
        *("attend.BlockedByTheMostOfFloat16", "attend.ThreeAxesAreBatchAndGrid"),
    },
    # A cache that is too short meets no mask: which one is left out, another item proves.
    ("a7_faster_decoding", "scaled_once_more"): {
        *("decoder_step.ScaledTwice", "decoder_step.PaddingHeard"),
        "decoder_step.ShorterCacheIsWelcome",
    },
    # An error of other sizes was told as a third mistake.
    ("a7_faster_decoding", "appended_afterwards"): {
        *("layer_step.AttendsBeforeItIsKept", "layer_step.SelfAttentionReadsTheMemory"),
    },
}
COUNTS_REAL_TOKENS = """
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    t, kept, table = target.shape[1], keys.shape[3], model.decoder.positional_encoding.encoding
    if kept != t - 1:
        raise ValueError(f"{t} tokens, and {kept} are kept")
    if t > len(table):
        raise KeyError(f"{t} tokens, and max_len is {len(table)}")
    real = target != model.pad_id
    x = model.decoder.token_embedding(target[:, -1:]) + table[real.cumsum(1)[:, -1:] - 1]
    found = []
    masks = real[:, None, None], model.source_mask(source)
    for layer, *cache in zip(model.decoder.layers, keys, values, memory_keys, memory_values):
        x, *grown = layer_step(layer, x, *cache, *masks)
        found.append(grown)
    return x, *map(torch.stack, zip(*found))
"""


@pytest.mark.parametrize("who", MET, ids="-".join)
def test_each_is_named(graded, who):
    result = graded(*who)
    assert {fault for each in result.mistakes for fault in each.faults} == MET[who]
    assert {each.kind for each in result.mistakes} == {"named"}


def test_an_exception_of_another_kind_is_a_mistake_of_its_own(result_with):
    """It hides nothing: it is the answer, where one is asked for."""
    result = result_with("a7_faster_decoding", decoder_step=COUNTS_REAL_TOKENS)
    told = {each.item: each for each in result.items}
    named = next(each for each in result.mistakes if each.kind == "named")
    assert named.faults == ("decoder_step.PadsHaveNoPlace",)
    others = [each for each in result.mistakes if each is not named]
    assert [each.items for each in others] == [("step_sizes",)]
    assert "KeyError" in told["step_sizes"].message
