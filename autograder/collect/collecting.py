"""A class's download into submitted/: who handed in what and when, and what a person should see."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from autograder.collect.entries import opened, shown
from autograder.collect.naming import under_our_names
from autograder.collect.people import Claim, Claims
from autograder.collect.placing import THERE, Copy, Place
from autograder.collect.systems import HandIn, hand_ins
from autograder.collect.times import Said, read_times
from autograder.course import Assignment, Behind, Person, Roster

__all__ = ["Collected", "Row", "collect"]


@dataclass(frozen=True)
class Row:
    """What came of one student's hand-ins.

    student: the id of their folder. shown: what the system calls them. at: when the last one was
    handed in, in UTC, None if nobody says. alike: where it may be one or another of the roster,
    their ids. late: how late that is, None if nobody can know.
    marked_late: where no time is known, whether the system calls it late.
    """

    student: str
    known: bool
    shown: str
    at: datetime | None
    late: Behind | None
    marked_late: bool
    done: str
    hand_ins: int = 1
    notes: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def is_late(self) -> bool:
        """Whether it counts as late, or is called so."""
        return bool(self.late and self.late.by) or self.marked_late

    @property
    def for_a_person(self) -> tuple[str, ...]:
        """What somebody has to look at before it is graded as it was meant."""
        whose = f"the roster does not know {self.shown}"
        if self.alike:
            whose = (
                f"{self.shown} may be {' or '.join(self.alike)}: the system's number tells, in the "
                "roster or from --times"
            )
        unknown = () if self.known else (whose,)
        left = (self.done,) if self.done.startswith("left") else ()
        words = "no notebook", "not taken", "also "
        return *unknown, *left, *(note for note in self.notes if note.startswith(words))


@dataclass
class Collected:
    """What came of a download. strays: what was in it that is nobody's, and why."""

    system: str
    rows: list[Row] = field(default_factory=list)
    missing: list[Person] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)

    @property
    def needs_a_person(self) -> bool:
        """Whether somebody has to look at it."""
        return bool(self.strays) or any(row.for_a_person for row in self.rows)


def collect(
    assignment: Assignment,
    source: Path,
    roster: Roster,
    place: Callable[[str], Place],
    lateness: Callable[[str, datetime], Behind | None],
    *,
    system: str | None = None,
    times: Path | None = None,
    force: bool = False,
    write: bool = True,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> Collected:
    """Collect one assignment's hand-ins from `source`; `place` says where those of a student lie.

    lateness: how late a student is who handed in then, where that can be known.
    tell: hears how many students are done, of how many. Without `write` nothing is written, and
    the same is said. Raises CollectError when nothing can be collected.
    """
    due = assignment.dates.due if assignment.dates else None
    said = read_times(times, due.tzinfo if due else None) if times else {}
    with opened(source) as entries:
        found, everything, strays = hand_ins(entries, system, assignment.id, source)
        everything = [_with(each, said) for each in everything]
        claims = Claims(roster, (each.claim for each in everything))
        theirs: dict[str, list[HandIn]] = defaultdict(list)
        for each in everything:
            student, _ = claims.student(each.claim)
            at = each.at or (said[student].at if student in said else None)
            theirs[student].append(replace(each, at=at))
        outcome = Collected(found)
        outcome.strays += [
            f"{shown(entry.path)}: {entry.refused or 'is in no place where students have theirs'}"
            for entry in strays
        ]
        for student, several in sorted(theirs.items()):
            tell(len(outcome.rows), len(theirs))
            last, done, notes = _put(several, assignment, place(student), force, write)
            at = last.at or (place(student).at if done == THERE else None)
            row = Row(
                student=student,
                known=claims.student(last.claim)[1],
                shown=shown((last.claim.shown,)),
                at=at,
                late=lateness(student, at) if at else None,
                marked_late=last.late and not at,
                done=done,
                hand_ins=len(several),
                alike=claims.alike(last.claim),
                notes=(*notes, *_left_behind(claims.unknown(last.claim), student, place)),
            )
            outcome.rows.append(row)
        tell(len(theirs), len(theirs))
    students = {row.student for row in outcome.rows}
    outcome.missing += [
        person
        for person in roster.people.values()
        if person.id not in students and not place(person.id).submitted.exists()
    ]
    return outcome


def _with(each: HandIn, said: Mapping[str, Said]) -> HandIn:
    """A hand-in with what a table of times says of it."""
    for number, (_, value) in enumerate(each.claim.keys):
        if value in said:
            keys = each.claim.keys[: number + 1] + said[value].keys + each.claim.keys[number + 1 :]
            return replace(each, claim=Claim(each.claim.shown, keys), at=each.at or said[value].at)
    return each


def _put(
    several: Sequence[HandIn], assignment: Assignment, place: Place, force: bool, write: bool
) -> tuple[HandIn, str, list[str]]:
    """Put a student's hand-ins in their places: the last one, what came of it, and what to know."""
    *before, last = sorted(several, key=_when)
    for each in before:
        if not place.keeps(each.at, _saved(each)):
            files, _ = under_our_names(each.files, assignment)
            place.keep(Copy(files, each.at, _saved(each)), write=write)
    files, notes = under_our_names(last.files, assignment)
    done = place.put(Copy(files, last.at, _saved(last)), force=force, write=write)
    if before:
        names = {shown((each.claim.shown,)): None for each in several}
        whose = f" (as {', '.join(names)})" if len(names) > 1 else ""
        times = "" if all(each.at for each in several) else ", by the times of the files"
        notes = [f"{len(several)} hand-ins{whose}: the last counts{times}", *notes]
    return last, done, notes


def _when(each: HandIn) -> float:
    return each.at.timestamp() if each.at else _saved(each)


def _saved(each: HandIn) -> float:
    return max(entry.saved for _, entry in each.files)


def _left_behind(unknown: str, student: str, place: Callable[[str], Place]) -> Iterator[str]:
    """What lies there from before the roster knew somebody, and would be graded as well."""
    if unknown != student and place(unknown).submitted.exists():
        yield f"also in {unknown}, from when nobody knew them: remove that folder"
