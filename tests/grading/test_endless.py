"""A loop that is not done in time is told once, with its line."""

from autograder.export.cards import as_text, cards_of

FORGETS_TO_COUNT = """
def causal_mask(size):
    mask = torch.zeros(size, size, dtype=torch.bool)
    row = 0
    while row < size:
        for column in range(row + 1):
            mask[row, column] = True
    return mask
"""


def test_a_loop_without_end_is_one_mistake_of_all_that_it_keeps_from_being_asked(hand_in):
    result = hand_in("a1_attention", "causal_mask", FORGETS_TO_COUNT)
    ended = [each.item for each in result.items if each.verdict == "timeout"]
    assert ended == ["causal_mask", "masks_together"]
    (mistake,) = result.mistakes
    assert mistake.kind == "loop"
    assert (mistake.place.cell, mistake.place.line) == ("causal_mask", 5)
    assert mistake.place.source == "while row < size:"
    (what,) = mistake.what
    assert what.startswith("causal_mask did not finish within ")
    assert what.endswith(" seconds. It was still in this loop.")
    assert list(mistake.items) == list(mistake.costs) == ended
    assert sum(mistake.costs.values()) == result.max_score - result.score
    told = as_text(cards_of(result, "diagnosis")[0], result.max_score)
    assert "In line 5 of the cell causal_mask:\n     while row < size:" in told
    assert "Does it ever end?" in told
    assert "exception" not in told
