"""A hand-in on Gradescope, graded as it comes: /autograder/submission to results/results.json.

Gradescope runs students' code as root beside the results, and so would have it write its own score.
Here it runs behind walls, as a user of its own, who may read Python and nothing else; this process
alone reads the course and writes results.json, when all of the student's processes are gone.

What is wrong on our side leaves no results.json: Gradescope then tells the student that the
autograder failed, which is the truth, and nobody gets a zero for it.
"""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from autograder.course import (
    Assignment,
    Feedback,
    as_words,
    read_course,
    read_secret,
    write_atomically,
)
from autograder.export import at_once
from autograder.grading import grade, limits_of, prepare
from autograder.sandbox.host import Server
from autograder.sandbox.walls import NoWalls, choose

__all__ = ["hand_in"]

_DAY = timedelta(days=1)


def hand_in(root: Path, assignment_id: str) -> str | None:
    """Grade what lies in `root`/submission; None when it is done, else what is wrong on our side.

    root: Gradescope's /autograder, in whose source/course is the course.
    """
    results = root / "results"
    results.mkdir(exist_ok=True)
    for each in (root / "source", results):
        each.chmod(0o700)  # Landlock apart, whoever runs students' code has no business there
    course = read_course(root / "source" / "course")
    metadata = json.loads((root / "submission_metadata.json").read_text(encoding="utf-8"))
    try:
        wall = choose()
    except NoWalls as error:
        return str(error)
    exam = prepare(course, assignment_id, read_secret(course.root))
    feedback, notes = _policy(exam.assignment, metadata)
    who = " ".join(str(each.get("id")) for each in metadata.get("users", ()))
    with Server(wall, limits_of(exam.assignment)) as server:
        result = grade(who, root / "submission", exam, server)
    if result.unreadable:  # the student reads why, and hands in again
        none = [each.model_copy(update={"score": 0.0}) for each in result.items]
        result = result.model_copy(update={"items": tuple(none), "score": 0.0})
        notes.insert(0, f"Not graded: {result.unreadable} Then hand in again.")
    if result.needs_staff:
        return next(each.message for each in result.items if each.score is None)
    if result.trouble:
        notes.append(result.trouble)
    write_atomically(results / "results.json", at_once(exam.assignment, result, feedback, notes))
    return None


def _policy(assignment: Assignment, metadata: dict[str, Any]) -> tuple[Feedback, list[str]]:
    """How much is told of this hand-in, and why not all."""
    now = datetime.fromisoformat(metadata["created_at"])
    before = sorted(
        datetime.fromisoformat(each["submission_time"])
        for each in metadata.get("previous_submissions", ())
    )
    today = [each for each in before if now - _DAY < each <= now]
    full = assignment.at_once.full_a_day
    if len(today) < full:
        return assignment.feedback, []
    again = today[len(today) - full] + _DAY
    return "verdict", [
        f"The score counts, but what is wrong is told of {full} hand-ins in 24 hours, and this is "
        f"number {len(today) + 1}. All is told again after {as_words(again)}."
    ]
