"""A class graded, shown and recorded: what is kept, what is new, whose grades would move."""

import contextlib
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import rich.markup
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from autograder.cli.common import err, mend_others, out, say_where, shown, write_index_and_say_so
from autograder.cli.show import MAX_ROWS, print_class, print_moves, print_needs_staff, print_roster
from autograder.course import Assignment, Course, Result, Roster, read_roster, read_secret
from autograder.export import Settings, foresee, foreseen, hand_in_time, lies_behind, publish
from autograder.grading import (
    HandedIn,
    Move,
    Room,
    accept,
    current,
    graded,
    graded_on,
    held,
    moves,
    settle,
    to_grade,
)


@dataclass(frozen=True)
class How:
    """How a class is run. force: what is graded already, too; yes: grades may move unasked.

    scheduler: the address of a Dask scheduler on whose cluster to grade; here, without one.
    some: of the class only those are graded who were asked for.
    """

    wall: str
    jobs: int
    force: bool = False
    yes: bool = False
    dry_run: bool = False
    scheduler: str | None = None
    some: bool = False


def run_class(
    course: Course,
    assignment_id: str,
    class_: Sequence[HandedIn],
    folder: Path,
    settings: Settings,
    how: How,
    about: dict[str, str] | None = None,
) -> bool:
    """Grade, record, write the pages, and say so. Returns whether people must look at something.

    folder: of the results. Raises BeingGraded when somebody else is at it.
    """
    assignment = course.assignment(assignment_id)
    room = Room(course, assignment_id, folder, how.wall, read_secret(course.root))
    roster = read_roster(course.root)  # what is wrong with it, before anybody is graded
    if not how.dry_run:
        foresee(settings, course)
    with held(folder, assignment_id):
        todo = list(class_) if how.force else to_grade(room, class_)
        seconds = _grade(room, todo, how)
        seen = _look(room, class_, {each.student for each in todo})
        late = _late(course, assignment, class_, settings) if seen.rows else {}
        print_class(out, seen.rows, seen.scores, assignment, about or {}, roster, late)
        said = f"{len(todo)} graded in {seconds:.1f} s, sandbox: {how.wall}"
        moved = list(moves(room, [each.student for each in class_]))
        if len(todo) < len(class_):
            said = f"{len(class_) - len(todo)} kept, {said}"
            if not moved:  # else the page says what they had
                page = folder / f"{assignment_id}.html"
                read = shown(page) if page.exists() else f"{shown(room.folder)}/"
                said += f"; the kept ones: {read}"
        out.print(rich.markup.escape(said), soft_wrap=True)
        if not how.some:
            print_roster(out, roster, sorted(each.student for each in class_))
        if not _may_move(moved, how, roster):
            return True
        if how.dry_run:
            out.print("nothing was recorded: this was --dry-run")
        else:
            _publish(room, assignment, class_, settings, how, len(seen.scores))
    print_needs_staff(err, seen.troubles, roster)
    return bool(seen.troubles) or (how.dry_run and bool(moved))


@dataclass
class _Seen:
    """What is shown of a class once it is graded.

    rows: of those who were graded now, or need somebody; none where there are more than MAX_ROWS.
    """

    rows: list[Result] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    troubles: dict[str, list[str]] = field(default_factory=dict)  # whom they struck, by message


def _grade(room: Room, todo: Sequence[HandedIn], how: How) -> float:
    """Grade these; returns the seconds that it took."""
    started = time.perf_counter()
    if how.scheduler is None:
        found = graded(room, todo, how.jobs)
    else:
        found = graded_on(how.scheduler, room, todo, how.jobs)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with (
        Progress(*columns, TimeElapsedColumn(), console=err) as progress,
        contextlib.closing(found) as results,
    ):
        task = progress.add_task(f"grading {room.assignment_id}", total=len(todo))
        for result in results:
            settle(room, result)
            progress.advance(task)
    return time.perf_counter() - started


def _look(room: Room, class_: Sequence[HandedIn], now: Collection[str]) -> _Seen:
    """now: who was graded in this run."""
    seen = _Seen()
    for student in sorted(each.student for each in class_):
        result = current(room, student)
        if len(seen.rows) <= MAX_ROWS and (student in now or result.asks_for_staff):
            seen.rows.append(result)
        if result.score is not None:
            seen.scores.append(result.score)
        lacking = [each.message or "" for each in result.items if each.score is None]
        for message in dict.fromkeys(([result.trouble] if result.trouble else []) + lacking):
            seen.troubles.setdefault(message, []).append(student)
    if len(seen.rows) > MAX_ROWS:
        seen.rows.clear()
    return seen


def _late(
    course: Course, assignment: Assignment, class_: Sequence[HandedIn], settings: Settings
) -> dict[str, str]:
    """Who is late, and by how much."""
    lateness = foreseen(course, settings)
    late = {
        each.student: lateness(each.student, assignment.id, hand_in_time(each.path).in_utc)
        for each in class_
    }
    return {student: str(by) for student, by in late.items() if by and by.by}


def _may_move(found: Sequence[Move], how: How, roster: Roster) -> bool:
    """Show the grades that would move, and ask; where nobody can be asked, they may not."""
    if not found:
        return True
    print_moves(out, found, roster)
    if how.dry_run or how.yes:
        return True
    if not _is_a_terminal():
        err.print("Nothing is recorded: nobody could be asked. If they may move, add --yes.")
        return False
    if typer.confirm("These were recorded before. Record them as they are now?"):
        return True
    err.print("Nothing is recorded. The new results are kept: the next run asks again.")
    return False


def _is_a_terminal() -> bool:
    return sys.stdin.isatty()


def _publish(
    room: Room,
    assignment: Assignment,
    class_: Sequence[HandedIn],
    settings: Settings,
    how: How,
    scores: int,
) -> None:
    accept(room, [each.student for each in class_])
    submitted = {each.student: each.path for each in class_}
    published = publish(
        room.course,
        assignment,
        room.results,
        submitted,
        settings,
        all_of_them=how.force,
        jobs=how.jobs,
    )
    where = settings.db_url.rpartition("@")[2]  # a name and password may stand before it
    where = shown(Path(where.removeprefix("sqlite:///"))) if ":///" in where else where
    now = f", {published.new} written now" if published.new < len(class_) else ""
    out.print(f"gradebook:  {where} ({scores} recorded{now})", soft_wrap=True)
    say_where(published)
    if lies_behind(room.results, published.class_page):
        mend_others(room.course, [room.assignment_id], room.results, settings)
        write_index_and_say_so(room.course, room.results, settings)
