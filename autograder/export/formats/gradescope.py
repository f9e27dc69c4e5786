"""Gradescope's results.json for each student, in an autograder that hands them over.

As gradescope-autograders.readthedocs.io documents it, "Autograder Specifications" and "Submission
Metadata": score, execution_time and tests, each with name, number, score, max_score, output,
output_format and visibility; tests are shown in their order here, and numbered by it. The zip is an
autograder that runs no student code: run_autograder looks in submission_metadata.json who handed
in, and copies their file. Whoever has none gets none: Gradescope then says that there is no result,
and never 0.

An item that is public is visible at once, one that is hidden after grades are published; both say
what the student's page says.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograder.course import Assignment, ByHand, Feedback, Item, Result
from autograder.export.cards import as_text, cards_of, evidence, line, told_in
from autograder.export.formats.cells import number
from autograder.export.formats.gathering import Gathered
from autograder.export.formats.marks import Learner, Mark, State, Work
from autograder.export.formats.packing import packed
from autograder.export.page import legible

__all__ = ["at_once", "known", "write"]

_SETUP = "#!/bin/sh\ncommand -v python3 || (apt-get update && apt-get install -y python3)\n"
_RUN = '''\
#!/usr/bin/env python3
"""Hands over what was graded before: results/KEY.json, KEY an e-mail address or Gradescope's id."""

import json
import pathlib
import shutil

here = pathlib.Path("/autograder")
metadata = json.loads((here / "submission_metadata.json").read_text())
results = {path.stem: path for path in (here / "source" / "results").glob("*.json")}
keys = [str(user.get(key, "")).casefold() for user in metadata["users"] for key in ("email", "id")]
found = [results[key] for key in keys if key in results]
if not found:
    raise SystemExit(f"no result for {', '.join(keys)}: ask who grades")
shutil.copyfile(found[0], here / "results" / "results.json")
'''
_NAME = re.compile(r"[\w+-][\w.+@-]*")
_NO_MORE: dict[str, Any] = {"verdict": None, "mistakes": (), "comment": None}
_WHEN = {"public": "visible", "hidden": "after_published"}


def known(student: Learner) -> bool:
    """Whether Gradescope would name the student so that we know who it is."""
    return bool(_key(student))


def write(gathered: Gathered) -> bytes:
    """The zip: setup.sh, run_autograder, results/KEY.json for who has a score."""
    (assignment,), files = gathered.assignments, {"setup.sh": _SETUP, "run_autograder": _RUN}
    for student in gathered.marks.students:
        (work,) = student.work
        if work.state is State.GRADED:
            result = gathered.results.get((assignment.id, student.id))
            content = json.dumps(_result(assignment, work, result), indent=2, ensure_ascii=False)
            files[f"results/{_key(student)}.json"] = content + "\n"
    return packed(files)


def _key(student: Learner) -> str:
    """The name of the file; an empty text where there is nothing that could be one."""
    names = (student.email, student.lms.get("gradescope", ""))
    return next((each.casefold() for each in names if _NAME.fullmatch(each)), "")


def _result(assignment: Assignment, work: Work, result: Result | None) -> dict[str, Any]:
    late = f"Handed in late: {number(work.penalty)} points less." if work.penalty else ""
    notes = [*filter(None, [late]), *(result.notes if result else ())]
    parts: tuple[Item | ByHand, ...] = (*assignment.items, *assignment.manual)
    when = {each.id: _WHEN[each.visibility] for each in assignment.items}
    marks = list(zip(parts, work.marks, strict=True))
    return _written(work.score, notes, result, _tests(marks, when, result, assignment.feedback))


def at_once(assignment: Assignment, result: Result, feedback: Feedback, notes: list[str]) -> str:
    """results.json of a hand-in that was graded this minute, of what checks grade alone.

    feedback: how much is told of it; notes: what else the student is to read. An item that is
    hidden is shown when `at_once` in course.yml says.
    """
    scores = {each.item: each.score for each in result.items}
    marks = [
        (each, Mark(part=each.id, score=scores[each.id], by_hand=False, **_NO_MORE))
        for each in assignment.items
    ]
    when = {
        each.id: "visible" if each.visibility == "public" else assignment.at_once.hidden_items
        for each in assignment.items
    }
    tests = _tests(marks, when, result, feedback)
    found = _written(result.score, [*notes, *result.notes], result, tests)
    return json.dumps(found | {"stdout_visibility": "hidden"}, indent=2, ensure_ascii=False) + "\n"


def _written(
    score: float | None,
    notes: Sequence[str],
    result: Result | None,
    tests: Iterator[dict[str, Any]],
) -> dict[str, Any]:
    found: dict[str, Any] = {"score": score, "output": _text(notes), "output_format": "text"}
    if result:
        found["execution_time"] = round(result.seconds, 2)
    return found | {"tests": list(tests)}


def _tests(
    marks: Sequence[tuple[Item | ByHand, Mark]],
    when: Mapping[str, str],
    result: Result | None,
    feedback: Feedback,
) -> Iterator[dict[str, Any]]:
    """Each part, and a mistake where it is paid for, which is seen when that part is."""
    told = result and result.told(feedback)
    items = {each.item: each for each in told.items} if told else {}
    cards = cards_of(told, feedback) if told else []
    of_item = told_in(cards)
    for at, (part, mark) in enumerate(marks, 1):
        said = []
        if told and part.id in items:
            item, theirs = items[part.id], of_item.get(part.id, [])
            paid = [each for each in theirs if each.items[0].item == part.id]
            said = [line(item, theirs), *(as_text(each, told.max_score) for each in paid)]
            said += evidence(item, bool(theirs))
        if mark.by_hand:
            said.append(f"People gave {number(mark.score)} of {number(part.points)}.")
        yield {
            "name": part.title,
            "number": str(at),
            "score": mark.score,
            "max_score": part.points,
            "output": _text([*said, *filter(None, [mark.comment])]),
            "output_format": "text",
            "visibility": when.get(part.id, "after_published"),
        }


def _text(paragraphs: Sequence[str]) -> str:
    return str(legible("\n\n".join(paragraphs)))
