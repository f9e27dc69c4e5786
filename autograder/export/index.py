"""The whole course on one page: every assignment, every student."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from autograder.course import Assignment, Course
from autograder.export.brief import read_in_brief
from autograder.export.entry import STATES, Entry
from autograder.export.formats.marks import About, Total, total
from autograder.export.page import write_page
from autograder.export.people import Who, everybody, people_of
from autograder.export.settings import Settings
from autograder.export.standing import standings
from autograder.export.tally import Tally, not_graded

__all__ = ["lies_behind", "write_index"]

_NAME = "index.html"


@dataclass(frozen=True)
class _Row:
    """A student: what there is of each assignment that somebody was graded in."""

    who: Who
    columns: list[Tally]
    total: Total  # as exports have it

    @cached_property
    def entries(self) -> list[Entry | None]:
        return [each.entries.get(self.who.student) for each in self.columns]

    @property
    def page(self) -> str | None:
        """The latest of the student's own."""
        return next((each.link for each in reversed(self.entries) if each and each.link), None)

    @cached_property
    def states(self) -> tuple[str, ...]:
        found = {state for each in self.entries if each for state in each.states}
        found |= (
            {"missing"} if any(self.who.student in each.missing for each in self.columns) else set()
        )
        found |= {"unknown"} if self.who.unknown else set()
        return tuple(state for state in STATES if state in found)


def lies_behind(folder: Path, class_page: Path) -> bool:
    """Whether the page of the course was not written since, as after a run that was killed."""
    page = folder / _NAME
    # Where clocks of files are coarse, both may bear one time: then it is written once more.
    return not page.exists() or page.stat().st_mtime_ns <= class_page.stat().st_mtime_ns


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
    abouts = [About.of(each.assignment) for each in graded]
    rows = [
        _Row(
            who, graded, total(abouts, [each.entries[id] for each in graded if id in each.entries])
        )
        for id, who in people.items()
    ]
    in_state = Counter(state for row in rows for state in row.states)
    path = folder / _NAME
    write_page(
        path,
        "export/index.html.jinja",
        course_name=course.name,
        columns=columns,
        graded=graded,
        in_all=sum(each.points for each in abouts if not each.extra),
        rows=rows,
        in_state=in_state,
        states={state: said for state, said in STATES.items() if in_state[state]},
        sections=sorted({row.who.section for row in rows if row.who.section}),
        all_states=STATES,
        beside=[state for state in STATES if any(each.in_state[state] for each in graded)],
        more=any(each.is_more for each in graded),
        in_full=any(each.is_more and each.mean_in_all is not None for each in graded),
        strangers=in_state["unknown"],
        ungraded=any(each.waiting for each in graded),
    )
    return path


def _column(
    assignment: Assignment,
    students: Iterable[str],
    people: Mapping[str, Who],
    folder: Path,
    settings: Settings,
) -> Tally:
    results = list(read_in_brief(folder / assignment.id, students))
    stand = standings(assignment, settings) if results else {}
    entries = {}
    for result in results:
        student = result.student
        page = settings.feedback(student, assignment.id) / f"{assignment.id}.html"
        link = quote(os.path.relpath(page, folder)) if page.exists() else None
        entries[student] = Entry(result, stand.get(student), link, people[student].unknown)
    return Tally(assignment, entries, people, not_graded(assignment.id, people, entries, settings))
