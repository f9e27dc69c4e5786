"""The whole course on one page: every assignment, every student."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from urllib.parse import quote

from autograder.course import Assignment, Course
from autograder.export.brief import read_in_brief
from autograder.export.entry import STATES, Entry
from autograder.export.page import write_page
from autograder.export.people import Who, everybody, people_of
from autograder.export.settings import Settings
from autograder.export.standing import standings

__all__ = ["write_index"]


@dataclass(frozen=True)
class _Column:
    """An assignment: what each student has in it."""

    assignment: Assignment
    entries: Mapping[str, Entry]  # by student; empty: nobody has been graded
    missing: int  # students without one

    @property
    def graded(self) -> int:
        """How many have a score."""
        return len(self.entries) - self.in_state["staff"]

    @property
    def mean(self) -> float | None:
        """Of all that counts; of the checks alone, while people have yet to read."""
        scores = (
            each.result.score if self.in_state["waits"] else each.total
            for each in self.entries.values()
        )
        known = [score for score in scores if score is not None]
        return fmean(known) if known else None

    @property
    def mean_of(self) -> float:
        """What there is to get in that, in points."""
        return self.assignment.max_score if self.in_state["waits"] else self.assignment.worth

    @cached_property
    def in_state(self) -> Counter[str]:
        return Counter(state for each in self.entries.values() for state in each.states)


@dataclass(frozen=True)
class _Row:
    """A student: what there is of each assignment that somebody was graded in."""

    who: Who
    entries: list[Entry | None]

    @property
    def total(self) -> float | None:
        totals = [each.total for each in self.entries if each and each.total is not None]
        return sum(totals) if totals else None

    @cached_property
    def states(self) -> tuple[str, ...]:
        found = {state for each in self.entries if each for state in each.states}
        found |= {"missing"} if None in self.entries else set()
        found |= {"unknown"} if self.who.unknown else set()
        return tuple(state for state in STATES if state in found)


def write_index(course: Course, folder: Path, settings: Settings) -> Path:
    """Write the page of the course into `folder`, of the results that lie there; returns its path.

    Raises GradebookError, and ValueError for a file that is no result. The same gives the same
    bytes.
    """
    found = {each.id: people_of(folder, each.id) for each in course.assignments}
    people = everybody(course.root, (student for those in found.values() for student in those))
    columns = [
        _column(each, found[each.id], people, folder, settings) for each in course.assignments
    ]
    graded = [each for each in columns if each.entries]
    rows = [_Row(who, [each.entries.get(id) for each in graded]) for id, who in people.items()]
    in_state = Counter(state for row in rows for state in row.states)
    path = folder / "index.html"
    write_page(
        path,
        "export/index.html.jinja",
        course_name=course.name,
        columns=columns,
        graded=graded,
        of=sum(each.assignment.worth for each in graded if not each.assignment.extra),
        rows=rows,
        in_state=in_state,
        states={state: said for state, said in STATES.items() if in_state[state]},
        sections=sorted({row.who.section for row in rows if row.who.section}),
        all_states=STATES,
        beside=[state for state in STATES if any(each.in_state[state] for each in columns)],
    )
    return path


def _column(
    assignment: Assignment,
    students: Iterable[str],
    people: Mapping[str, Who],
    folder: Path,
    settings: Settings,
) -> _Column:
    results = list(read_in_brief(folder / assignment.id, students))
    stand = standings(assignment, settings) if results else {}
    entries = {}
    for result in results:
        student = result.student
        page = settings.feedback(student, assignment.id) / f"{assignment.id}.html"
        link = quote(os.path.relpath(page, folder)) if page.exists() else None
        entries[student] = Entry(result, stand.get(student), link)
    expected = [who for who in people.values() if not who.unknown]
    return _Column(assignment, entries, sum(who.student not in entries for who in expected))
