"""Code that Python can read, and that whoever reads it once more may stumble over: it may not."""

import time

import pytest

from autograder.course import Verdict
from autograder.grading import grade
from autograder.proof.samples import answered, as_saved, overlaid

LONG = f"0x{'f' * 5_000}"  # more digits than Python writes in tens
DEEP = "+".join("1" * 1_500)
WRONG = """\
# %% solution="causal_mask"
def causal_mask(size, device=None):
    if size < 0:
        raise ValueError({})
    return torch.zeros(size, size, dtype=torch.bool, device=device)
"""


@pytest.fixture
def graded(course, exam_of, server, samples_of, tmp_path):
    """Gives the result of the reference with other cells."""

    def graded(assignment_id, cells):
        released = samples_of(assignment_id)["untouched_stub"].data
        path = tmp_path / f"{assignment_id}.ipynb"
        path.write_bytes(as_saved(overlaid(answered(course, assignment_id, released), cells)))
        return grade("x", path, exam_of(assignment_id), server)

    return graded


@pytest.mark.parametrize("said", [LONG, DEEP], ids=["long", "deep"])
def test_what_is_raised_may_be_said_in_any_way(graded, said):
    items = graded("a1_attention", WRONG.format(said)).items
    verdicts = {each.item: each.verdict for each in items}
    assert verdicts["causal_mask"] is Verdict.WRONG
    assert Verdict.INTERNAL not in verdicts.values()


def test_a_long_number_is_no_reason_to_take_code_for_pasted(graded):
    result = graded("a4_layers", f"# %%\ndef unused():\n    return {LONG}\n")
    assert result.score == result.max_score


def test_a_pattern_in_parentheses_is_not_searched_for_repairs(graded):
    pattern = f"    match size:\n        case {'(' * 40}_{')' * 40}:\n            pass\n    return"
    started = time.monotonic()
    result = graded("a1_attention", WRONG.format(1).replace("    return", pattern))
    assert result.score < result.max_score
    assert time.monotonic() - started < 60


OPENS_A_BANNED_CALL = """
kept, library = [], torch._C._dispatch_library

def keeping(*args):
    kept.append(library(*args))
    return kept[-1]

torch._C._dispatch_library = keeping

def given_up(*inputs):
    while kept:
        kept.pop().reset()
    return vars(torch.nn)["functional"].scaled_dot_product_attention(*inputs)

def scaled_dot_product_attention(q, k, v, mask=None):
    if False:
        same = torch.eye(k.shape[-2], dtype=q.dtype, device=q.device)
        same = same.expand(*k.shape[:-1], k.shape[-2])
        return given_up(q, k, v, mask), given_up(q, k, same, mask)
    weights = (q @ k.transpose(-2, -1)).sin() * 0.37 + 1.3
    return weights @ v.cos(), weights
"""


def test_a_line_whose_repair_makes_a_banned_call_in_secret_earns_nothing(hand_in):
    """The call was refused where all was asked, and noticed by nobody where an edit was tried."""
    result = hand_in("a1_attention", "attention", OPENS_A_BANNED_CALL, locate=True)
    own = [each for each in result.items if each.item.startswith("attention")]
    assert {each.verdict for each in own} == {Verdict.WRONG}
    assert not any(each.place for each in result.mistakes)


def test_a_form_feed_is_no_trouble(hand_in):
    text = "\f\ndef causal_mask(size, device=None):\n    return torch.zeros(size) > 0\n"
    result = hand_in("a1_attention", "causal_mask", text, locate=True)
    assert result.trouble is None
    assert result.score is not None
