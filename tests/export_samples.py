"""An assignment and results of it, for the tests of what is exported."""

from datetime import UTC, datetime
from typing import Any

from autograder.course.assignment import Assignment, ByHand, Item, Limits
from autograder.course.dates import Dates
from autograder.course.result import (
    ItemResult,
    Mistake,
    Place,
    Result,
    SmallestExample,
    Verdict,
)

COURSE = "The Transformer from scratch"
SCORED = [each for each in Verdict if each not in (Verdict.UNREADABLE, Verdict.INTERNAL)]
NAMED = Mistake(
    kind="named",
    what=("The scores are not scaled.",),
    think=("How large is a dot product?",),
    faults=("attention.DoesNotScale",),
    proof="These are its numbers in all cases.",
    place=Place(cell="attention", line=3, source="scores = q @ k.mT"),
    items=("attention_scale", "attention_mask"),
    costs={"attention_scale": 2.0},
)
UNKNOWN = Mistake(
    kind="unknown",
    what=(),
    proof="No known mistake gives these numbers.",
    example=SmallestExample(
        call="f(x=[[1, 2]])",
        problem="output: expected [[1, 1]], got [[2, 1]]",
        of="output",
        shape=(1, 2),
        expected=("1", "1"),
        got=("2", "1"),
    ),
    items=("attention_output",),
    costs={"attention_output": 3.0},
)


def assignment(**points: float) -> Assignment:
    """A small assignment; an item is named after each argument and worth its value."""
    points = points or {"attention_output": 3.0, "attention_scale": 2.0, "attention_mask": 1.5}
    return Assignment(
        id="a1_attention",
        title="Scaled dot-product attention",
        items=tuple(
            Item(
                id=id,
                title=id.replace("_", " ").capitalize(),
                points=worth,
                visibility="public",
                tolerance=1e-12,
            )
            for id, worth in points.items()
        ),
        limits=Limits(
            wall_seconds=30, call_seconds=5, memory_mib=1024, processes=1, output_bytes=2**20
        ),
        dates=Dates(
            released=datetime(2027, 2, 1, 8, tzinfo=UTC), due=datetime(2027, 2, 8, 22, tzinfo=UTC)
        ),
    )


def with_report(of: Assignment) -> Assignment:
    """The assignment with a report, which is graded by hand and worth 5 points."""
    return of.model_copy(update={"manual": (ByHand(id="report", title="The report", points=5),)})


def graded(
    student: str, of: Assignment, verdicts: list[Verdict] | None = None, **changes: Any
) -> Result:
    """A result with these verdicts, all passed when none are given; `changes` are its fields."""
    verdicts = verdicts or [Verdict.PASSED] * len(of.items)
    items = tuple(
        ItemResult(
            item=item.id,
            title=item.title,
            points=item.points,
            score=score_of(verdict, item.points),
            verdict=verdict,
            message=None if verdict is Verdict.PASSED else f"why {item.id} is {verdict}",
        )
        for item, verdict in zip(of.items, verdicts, strict=True)
    )
    lost = any(item.score is None for item in items)
    fields = {
        "student": student,
        "assignment": of.id,
        "score": None if lost else sum(item.score or 0 for item in items),
        "max_score": of.max_score,
        "items": items,
        "sandbox": "sandlock",
        "seconds": 1.5,
        "versions": {"autograder": "0.1.0", "python": "3.11.9", "torch": "2.6.0"},
        "secret_fingerprint": "5e1f0c2a",
        "submission_sha256": "ab" * 32,
    }
    return Result(**(fields | changes))


def with_mistakes() -> tuple[Assignment, Result]:
    """An assignment of three items, and a result in which two mistakes touch them all."""
    of = assignment()
    result = graded("s042", of, [Verdict.WRONG, Verdict.WRONG, Verdict.CARRIED])
    *others, mask = result.items
    items = (*others, mask.model_copy(update={"message": "by an earlier part"}))
    return of, result.model_copy(update={"items": items, "mistakes": (NAMED, UNKNOWN)})


def score_of(verdict: Verdict, points: float) -> float | None:
    """Full points when right, none when not, no score when a person must look."""
    if verdict not in SCORED:
        return None
    return points if verdict in (Verdict.PASSED, Verdict.CARRIED) else 0.0
