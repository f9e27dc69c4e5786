"""What is told of a submission hangs on how much was asked, not on who else is at work here."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from autograder.grading import grade
from autograder.proof.samples import answered, as_saved, overlaid
from autograder.repair import search
from autograder.repair.purse import Purse
from autograder.repair.trying import Trials

# Wrong in a way that no small edit mends.
WRONG = """\
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(torch.sin(scores) + torch.cos(3 * scores) ** 2, dim=-1)
    weights = torch.flip(weights, dims=(-1,)) * 0.9 + 0.1 * weights ** 2
    return torch.matmul(weights, v), weights
"""


@pytest.fixture
def graded(course, exam, server, samples_of, tmp_path, monkeypatch):
    """Gives the result when each look at the clock takes so long, and how many edits were tried."""

    def graded(seconds):
        now = 0.0

        def look():
            nonlocal now
            now += seconds
            return now

        for where in ("grading.submission", "repair.purse"):
            clock = SimpleNamespace(monotonic=look, perf_counter=look)
            monkeypatch.setattr(f"autograder.{where}.time", clock)
        tried = []

        def counted(trials, edits, case):
            found = tried_of(trials, edits, case)
            tried.extend(found)
            return found

        monkeypatch.setattr(Trials, "tried", counted)
        exact = replace(exam, assignment=exam.assignment.model_copy(update={"locate": True}))
        stub = answered(
            course, exam.assignment.id, samples_of(exam.assignment.id)["untouched_stub"].data
        )
        path = tmp_path / f"{exam.assignment.id}.ipynb"
        path.write_bytes(as_saved(overlaid(stub, WRONG)))
        return grade("x", path, exact, server), len(tried)

    tried_of = Trials.tried
    monkeypatch.setattr(search, "Purse", lambda until: Purse(until, 400.0))
    return graded


def test_as_much_is_tried_on_a_busy_machine(graded):
    _, quiet = graded(0.0)
    assert quiet > 100
    result, tried = graded(0.05)
    assert tried == quiet
    assert result.score < result.max_score
    assert result.trouble is None


def test_where_there_was_no_time_staff_are_told(graded):
    result, tried = graded(1000.0)
    assert tried < 10
    assert "was not looked for to the end: no time" in result.trouble
