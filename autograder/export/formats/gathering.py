"""A class's marks out of nbgrader's gradebook, the result files and the roster.

Every score is the gradebook's own: nothing is reckoned again but the total over assignments. There
is none as long as nbgrader's formgrader asks people for points, or a result file asks for staff.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.course import Assignment, Course, ItemResult, Lateness, Person, Result, Roster
from autograder.export.formats.marks import About, Learner, Mark, Marks, Part, State, Work, total
from autograder.export.opening import looked_into, open_gradebook, shown
from autograder.export.settings import Settings

__all__ = ["Gathered", "NothingGraded", "gather"]


class NothingGraded(Exception):
    """There is nothing to export."""


@dataclass(frozen=True)
class Gathered:
    """The marks, and what formats for students' eyes need besides."""

    marks: Marks
    assignments: tuple[Assignment, ...]
    results: Mapping[tuple[str, str], Result]  # by assignment and student
    settings: Settings

    def apart(self) -> "list[Gathered]":
        """The same for each assignment alone, of whom it concerns."""
        return [self._only(at) for at in range(len(self.assignments))]

    def of(self, whom: Callable[[Learner], bool]) -> "Gathered":
        """The same of these students alone."""
        students = tuple(filter(whom, self.marks.students))
        return replace(self, marks=self.marks.model_copy(update={"students": students}))

    def _only(self, at: int) -> "Gathered":
        about = self.marks.assignments[at]
        students = tuple(
            each.model_copy(
                update={"work": (each.work[at],), "total": total([about], [each.work[at]])}
            )
            for each in self.marks.students
            if each.work[at].state is not State.STRANGER
        )
        marks = self.marks.model_copy(update={"assignments": (about,), "students": students})
        return replace(self, marks=marks, assignments=(self.assignments[at],))


@dataclass(frozen=True)
class _Source:
    """What is known of one assignment."""

    of: Assignment
    about: About
    records: Mapping[str, Any]  # nbgrader's submissions, by student
    results: Mapping[str, Result]
    handed_in: Collection[str]
    extensions: Mapping[tuple[str, str], datetime]
    lateness: Callable[[Any], Lateness | None]


def gather(
    course: Course,
    chosen: Sequence[Assignment],
    settings: Settings,
    results: Path,
    roster: Roster,
    handed_in: Mapping[str, Collection[str]],
    zero_from: datetime | None = None,
) -> Gathered:
    """The marks in these assignments, or in all that were graded when none is chosen.

    results: the folder of result files. handed_in: who did, by assignment. zero_from: what was due
    by then and was not handed in is worth 0; None: it has no score. Raises NothingGraded,
    GradebookError, and ValueError for a file that is no result.
    """
    url, own = settings.db_url, str(settings.directory.course_id)
    with looked_into(url) as connection:
        if connection is None:  # opening it would make one
            raise NothingGraded(f"there is no gradebook {shown(url)}: grade first")
    with open_gradebook(url, own) as gradebook:
        sources = [
            _source(gradebook, each, settings, results, handed_in.get(each.id, ()))
            for each in chosen or course.assignments
        ]
        graded = [each for each in sources if each.records or each.results]
        if not graded or (chosen and len(graded) < len(sources)):
            which = ", ".join(each.of.id for each in sources if each not in graded)
            raise NothingGraded(f"nothing was graded of {which}: grade it first")
        people = _people(gradebook, roster, graded)
        marks = Marks(
            course=course.name,
            assignments=tuple(each.about for each in graded),
            students=tuple(
                _learner(
                    each, graded, zero_from, expected=not roster.people or each.id in roster.people
                )
                for each in people
            ),
        )
    found = {(each.of.id, who): result for each in graded for who, result in each.results.items()}
    return Gathered(marks, tuple(each.of for each in graded), found, settings)


def _source(
    gradebook: Any, of: Assignment, settings: Settings, results: Path, handed_in: Collection[str]
) -> _Source:
    records = {each.student.id: each for each in gradebook.assignment_submissions(of.id)}
    read = [Result.read(path) for path in sorted((results / of.id).glob("*.json"))]
    return _Source(
        *(of, About.of(of), records, {each.student: each for each in read}, handed_in),
        extensions={who: each.until for who, each in settings.extensions.items()},
        lateness=settings.lateness,
    )


def _people(gradebook: Any, roster: Roster, sources: Sequence[_Source]) -> list[Person]:
    """The roster, then who is not on it, sorted; the gradebook's class where there is no roster."""
    known = {
        each.id: Person(each.id, each.first_name or "", each.last_name or "", each.email or "")
        for each in gradebook.students
    }
    others = set() if roster.people else set(known)
    for each in sources:
        others |= {*each.records, *each.results, *each.handed_in}
    beside = sorted(others - roster.people.keys())
    return [*roster.people.values(), *(known.get(each, Person(each)) for each in beside)]


def _learner(
    person: Person, sources: Sequence[_Source], zero_from: datetime | None, expected: bool
) -> Learner:
    work = [_work(person.id, each, zero_from, expected) for each in sources]
    return Learner(
        id=person.id,
        name=person.name,
        first_name=person.first_name,
        last_name=person.last_name,
        email=person.email,
        section=person.section,
        lms=dict(person.lms),
        work=tuple(work),
        total=total([each.about for each in sources], work),
    )


def _work(student: str, source: _Source, zero_from: datetime | None, expected: bool) -> Work:
    record: Any = source.records.get(student)
    result = source.results.get(student)
    notebooks = record.notebooks if record else []
    grades = {grade.name: grade for notebook in notebooks for grade in notebook.grades}
    comments = {
        each.name: each.manual_comment for notebook in notebooks for each in notebook.comments
    }
    state = _state(student in source.handed_in, grades.values(), result, expected)
    score = None
    if state is State.GRADED:
        score = max(0.0, record.score - record.late_submission_penalty)  # as `nbgrader export`
    elif state is State.ABSENT and zero_from and _was_due(student, source, zero_from):
        score = 0.0
    items = {each.item: each for each in result.items} if result else {}
    late = source.lateness(record) if record and record.timestamp else None
    seconds = record.total_seconds_late if record and record.timestamp else 0.0
    return Work(
        assignment=source.of.id,
        state=state,
        score=score,
        points=source.about.points,
        penalty=record.late_submission_penalty if state is State.GRADED else 0.0,
        handed_in=record.timestamp.replace(tzinfo=UTC) if record and record.timestamp else None,
        seconds_late=late.by.total_seconds() if late else seconds,
        late_days=late.late_days if late else 0,
        marks=tuple(
            _mark(part, grades.get(part.id), items.get(part.id), comments.get(part.id), result)
            for part in source.about.parts
        ),
        mistakes=result.mistakes if result else (),
    )


def _state(
    handed_in: bool, grades: Collection[Any], result: Result | None, expected: bool
) -> State:
    if result and result.needs_staff:
        return State.STAFF
    if not any(_given(each) for each in grades):  # as an extension alone leaves it
        if handed_in or result:
            return State.UNGRADED
        return State.ABSENT if expected else State.STRANGER
    if any(each.needs_manual_grade or not _given(each) for each in grades):
        return State.WAITS
    return State.GRADED


def _given(grade: Any) -> bool:
    return grade.auto_score is not None or grade.manual_score is not None


def _was_due(student: str, source: _Source, zero_from: datetime) -> bool:
    """With all extensions; without a due date as soon as others are graded."""
    record: Any = source.records.get(student)
    dates = [source.about.due, source.extensions.get((student, source.of.id))]
    dates.append(record.duedate.replace(tzinfo=UTC) if record and record.duedate else None)
    return all(each < zero_from for each in dates if each is not None)


def _mark(
    part: Part, grade: Any, item: ItemResult | None, comment: str | None, result: Result | None
) -> Mark:
    scored = grade is not None and _given(grade) and not grade.needs_manual_grade
    made = [
        each
        for each in (result.mistakes if result else ())
        if each.kind == "named" and part.id in each.items
    ]
    return Mark(
        part=part.id,
        score=grade.score if scored else None,
        by_hand=grade is not None and bool(grade.manual_score is not None or grade.extra_credit),
        verdict=item.verdict if item else None,
        mistakes=tuple(" or: ".join(each.what) for each in made),
        comment=comment or None,
    )
