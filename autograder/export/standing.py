"""What the gradebook says of a student beside our verdicts: what people gave, what late work costs.

Pages show it; nothing here is written.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from nbgrader.api import Assignment as Stored
from nbgrader.api import Comment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import or_, select
from sqlalchemy.orm import joinedload, selectinload, undefer

from autograder.course import Assignment, Result, as_words, begun, counted, long
from autograder.export.opening import open_gradebook
from autograder.export.page import number
from autograder.export.settings import Settings

__all__ = ["Standing", "says", "standings"]

_SOME = {"yield_per": 200}  # students at once: nobody holds on to what is asked of one


@dataclass(frozen=True)
class Standing:
    """What people gave, what they have yet to give, and what late work costs, in points."""

    penalty: float
    seconds_late: float  # behind the due date, with what was granted
    by_hand: Mapping[str, float]  # by item or part, where people gave points
    waiting: Mapping[str, float]  # parts that people have yet to read, and what each is worth
    comments: Mapping[str, str]  # of people, by the cell that they are about
    until: datetime | None = None  # when it was due, where that is known
    begun: int = 0  # days late, where they cost something
    late_days: int = 0  # of the student's, that went to it
    percent: float = 0.0  # what the other days cost by the policy
    all_of_it: bool = False  # they cost no more, for there were no more points
    late_days_left: int | None = None  # None: the course has none
    after: float = 0.0  # seconds behind the due date, without grace and extension
    extended: bool = False  # until is later than for others
    policy: str = ""  # why it costs what it costs
    again: bool = False  # it asks for another look, at what people gave or the checks did

    @property
    def settled(self) -> bool:
        """Whether nothing in it asks for people."""
        return not (self.waiting or self.again)

    def score(self, result: Result) -> float | None:
        """The points of people where they gave some, else the checks', less the penalty."""
        if result.score is None:
            return None
        checked = {each.item: each.score or 0.0 for each in result.items}
        return sum((checked | dict(self.by_hand)).values()) - self.penalty

    def of(self, assignment: Assignment) -> float:
        """What is graded by now, in points."""
        return assignment.worth - sum(
            each.points for each in assignment.manual if each.id in self.waiting and not each.extra
        )

    @property
    def about_time(self) -> str:
        """What is told of lateness: when it was due, what it cost, which late days are left."""
        told = []
        if self.seconds_late:
            if self.until:
                extended = ", with your extension" if self.extended else ""
                told.append(f"Due {as_words(self.until)}{extended}.")
            told.append(f"Handed in {self._late} late{self._begun}: {self._costs}.")
        elif self.after:
            told.append(f"Handed in {long(timedelta(seconds=self.after))} after the deadline;")
            if self.extended and self.until:
                told.append(f"your extension runs to {as_words(self.until)}:")
            else:
                told.append("that is not counted as late:")
            told.append("nothing is taken off.")
        if self.late_days_left is not None:
            told.append(f"Late days left: {self.late_days_left}.")
        if self.penalty and self.policy:
            told.append(self.policy)
        return " ".join(told)

    @property
    def late(self) -> str:
        """How late it was, and what that cost, in brief: 27 hours, 2 days begun, 1 late day."""
        told = [
            self._late + self._begun,
            counted(self.late_days, "late day") * bool(self.late_days),
            f"\N{MINUS SIGN}{number(self.penalty)}" * bool(self.penalty),
        ]
        return ", ".join(filter(None, told))

    @property
    def _late(self) -> str:
        return long(timedelta(seconds=self.seconds_late))

    @property
    def _begun(self) -> str:
        return begun(timedelta(seconds=self.seconds_late), self.begun)

    @property
    def _costs(self) -> str:
        """What it costs, and how that comes about."""
        how = [f"{counted(self.late_days, 'late day')} went to it"] * bool(self.late_days)
        if not self.penalty:
            how.append("it has no points to lose" if self.percent else "it costs nothing")
            return ", and ".join(how)
        if self.percent:
            days = self.begun - self.late_days
            how.append(f"{counted(days, 'day')} cost{'s' * (days == 1)} {self.percent:g} %")
        less = f"{number(self.penalty)} less{', all that it has' * self.all_of_it}"
        return ": ".join(filter(None, [", and ".join(how), less]))


def standings(assignment: Assignment, settings: Settings) -> dict[str, Standing]:
    """How each student stands in an assignment, as the gradebook has it. Raises GradebookError."""
    # All at once: asked for one by one, each grade is looked for among all of the course. What the
    # checks alone have given is not asked for.
    notebooks = selectinload(SubmittedAssignment.notebooks)
    by_people = or_(Grade.manual_score.is_not(None), Grade.extra_credit.is_not(None))
    told = or_(by_people, Grade.auto_score.is_(None), Grade.needs_manual_grade)
    grades = notebooks.selectinload(SubmittedNotebook.grades.and_(told))
    whole = (
        joinedload(SubmittedAssignment.assignment),
        joinedload(SubmittedAssignment.student),
        notebooks.joinedload(SubmittedNotebook.notebook),
        grades.joinedload(Grade.cell),
        grades.options(undefer(Grade.max_score)),
        notebooks.selectinload(
            SubmittedNotebook.comments.and_(Comment.manual_comment.is_not(None))
        ).joinedload(Comment.cell),
    )
    with open_gradebook(settings.db_url) as gradebook:
        of_it = select(SubmittedAssignment).join(Stored).where(Stored.name == assignment.id)
        return {
            each.student_id: _standing(each, notebook, assignment, settings)
            for each in gradebook.db.scalars(of_it.options(*whole), execution_options=_SOME)
            for notebook in each.notebooks
            if notebook.name == assignment.id
        }


def says(assignment_id: str, db_url: str) -> dict[str, str]:
    """A print of all that the gradebook says of each student in an assignment: it tells changes.

    By a few questions for the whole class, where `standings` asks some for each. Raises
    GradebookError.
    """
    about: defaultdict[str, Any] = defaultdict(hashlib.sha256)
    with open_gradebook(db_url) as gradebook:
        submitted = (
            select(SubmittedAssignment.student_id, SubmittedAssignment.timestamp)
            .add_columns(SubmittedAssignment.extension, Stored.duedate)
            .join(Stored, Stored.id == SubmittedAssignment.assignment_id)
            .where(Stored.name == assignment_id)
        )
        notebooks = submitted.join(
            SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id
        )
        for asked in (
            notebooks.add_columns(SubmittedNotebook.late_submission_penalty),
            *(
                notebooks.join(each, each.notebook_id == SubmittedNotebook.id)
                .add_columns(*each.__table__.columns)
                .order_by(each.id)
                for each in (Grade, Comment)
            ),
        ):
            for student, *row in gradebook.db.execute(asked, execution_options=_SOME):
                about[student].update(f"{row}\n".encode(errors="surrogatepass"))
    return {student: print_.hexdigest() for student, print_ in about.items()}


def _standing(
    submission: Any, notebook: Any, assignment: Assignment, settings: Settings
) -> Standing:
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {each.name: each.manual_comment for each in notebook.comments}
    worth = {each.id: each.points for each in (*assignment.items, *assignment.manual)}
    late, policy = settings.lateness(submission), assignment.late
    percent = policy.percent(late.days) if policy and late else 0.0
    penalty = notebook.late_submission_penalty or 0.0
    of_points = policy is not None and policy.percent_of == "points"
    due = assignment.dates.due if assignment.dates else None
    at = submission.timestamp and submission.timestamp.replace(tzinfo=UTC)
    return Standing(
        penalty=penalty,
        seconds_late=late.by.total_seconds() if late else submission.total_seconds_late,
        by_hand={
            name: grade.score
            for name, grade in grades.items()
            if grade.manual_score is not None or grade.extra_credit
        },
        waiting={
            name: worth.get(name, grade.max_score)
            for name, grade in grades.items()
            if grade.needs_manual_grade and grade.manual_score is None and grade.auto_score is None
        },
        comments={name: text for name, text in comments.items() if text},
        until=late.until if late else None,
        begun=late.begun if late else 0,
        late_days=late.late_days if late else 0,
        percent=percent,
        all_of_it=of_points and penalty < percent / 100 * assignment.worth - 1e-9,
        late_days_left=late.left if late and settings.over_course else None,
        after=max(0.0, (at - due).total_seconds()) if at and due and late else 0.0,
        extended=bool(late and due and late.until > due),
        policy=str(policy or ""),
        again=any(
            grade.needs_manual_grade or (grade.auto_score is None and grade.manual_score is None)
            for grade in notebook.grades
        ),
    )
