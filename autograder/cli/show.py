"""Results as tables and text in a terminal."""

import statistics
from collections.abc import Mapping, Sequence

import rich.markup
from rich.console import Console
from rich.table import Table

from autograder.course import Assignment, Feedback, Result, Roster, Verdict
from autograder.export import as_text, cards_of, evidence, line, told_in
from autograder.grading import Move

MAX_ROWS = 120  # a longer class is better looked at on its page
_NAMES = 10  # in a line
_COLOURS = {
    Verdict.PASSED: "green",
    Verdict.CARRIED: "green",
    Verdict.MISSING: "bright_black",
    Verdict.UNREADABLE: "magenta",
    Verdict.INTERNAL: "magenta",
}


def print_class(
    out: Console,
    graded: Sequence[Result],
    scores: Sequence[float],
    assignment: Assignment,
    about: dict[str, str],
    roster: Roster,
    late: Mapping[str, str],
) -> None:
    """What is shown of a class as a table, and its figures.

    graded: the rows. scores: of the whole class. about: what is known of a student beforehand.
    late: who is, by how much.
    """
    name, what = ["name"] * bool(roster.people), ["what it is"] * bool(about)
    if graded:
        table = Table(title=assignment.title)
        for heading in ("student", *name, "score", *["late"] * bool(late), *what, "not passed"):
            # An item a line, and never broken: other columns give way.
            table.add_column(heading, overflow="fold", no_wrap=heading == "not passed")
        for result in graded:
            score = "needs staff"
            if result.score is not None:
                score = f"{result.score:g} of {result.max_score:g}"
            lost = [x for x in result.items if x.score is None or x.score < x.points]
            verdicts = {each.verdict for each in lost}
            everywhere = len(lost) == len(result.items) and len(verdicts) == 1
            said = "\n".join(
                f"[{_COLOURS.get(each.verdict, 'red')}]{each.verdict}[/] "
                + ("everywhere" if everywhere else each.item)
                for each in lost[: 1 if everywhere else None]
            )
            named = [rich.markup.escape(roster.name_of(result.student)) for _ in name]
            known = [rich.markup.escape(about.get(result.student, "")) for _ in what]
            when = [late.get(result.student, "")] * bool(late)
            shown = rich.markup.escape(result.student)
            table.add_row(shown, *named, score, *when, *known, said)
        out.print(table)
    if scores:
        out.print(
            f"mean of the checks {round(statistics.mean(scores), 2):g}, median "
            f"{round(statistics.median(scores), 2):g} "
            f"of {assignment.max_score:g}"
        )


def print_result(out: Console, result: Result, feedback: Feedback = "diagnosis") -> None:
    """One submission by mistake, then by item, as its student will read it.

    Evidence is printed where no mistake tells of an item, and once for each mistake.
    """
    result = result.told(feedback)
    scored = result.score is not None
    score = f"{result.score:g} of {result.max_score:g}" if scored else "no score: needs staff"
    out.print(f"[bold]{result.assignment}: {score}[/]\n")
    if result.unreadable:
        out.print(rich.markup.escape(result.unreadable))
        return
    cards = cards_of(result, feedback)
    for card in cards:
        out.print(rich.markup.escape(as_text(card, result.max_score)) + "\n", soft_wrap=True)
    told = told_in(cards)
    first = {each.item for card in cards for each in card.items[:1]}
    for item in result.items:
        theirs = told.get(item.item, [])
        colour = _COLOURS.get(item.verdict, "red")
        out.print(f"[{colour}]{rich.markup.escape(line(item, theirs))}[/]")
        for text in evidence(item, bool(theirs)) if item.item in first or not theirs else ():
            out.print("  " + rich.markup.escape(text).replace("\n", "\n  "))
    for note in result.notes:
        out.print(f"\nnote: {rich.markup.escape(note)}")


def print_untimed(out: Console, problems: Mapping[str, str]) -> None:
    """Whose time of handing in is not known, and why."""
    for student, problem in problems.items():
        out.print(f"[magenta]time unknown:[/] {rich.markup.escape(f'{student}: {problem}')}")


def print_roster(out: Console, roster: Roster, handed_in: Sequence[str]) -> None:
    """Who of the roster has not handed in, and who has and is not on it."""
    there = set(handed_in)
    absent = [each for each in roster.people if each not in there]
    strangers = [each for each in handed_in if each not in roster.people]
    for what, who in (("not handed in", absent), ("not on the roster", strangers)):
        if who and roster.people:
            out.print(f"{what}: {len(who)} ({rich.markup.escape(_names(who, roster))})")


def _names(students: Sequence[str], roster: Roster) -> str:
    more = ", ..." if len(students) > _NAMES else ""
    return ", ".join(map(roster.called, students[:_NAMES])) + more


def print_moves(out: Console, moves: Sequence[Move], roster: Roster) -> None:
    """Whose totals would move, from what to what, by which items; and of whom items alone do."""
    in_all = [each for each in moves if each.in_all]
    scores = "score of the checks moves" if len(in_all) == 1 else "scores of the checks move"
    table = Table(
        title=f"{len(in_all)} {scores}, though what was handed in is as it was",
        caption="without points by hand and without what late work costs",
    )
    for heading in ("student", "before", "now", "by"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "by")
    for each in in_all:
        before, now = (
            "no score" if score is None else f"{score:g} of {of:g}"
            for score, of in ((each.old, each.old_of), (each.new, each.new_of))
        )
        who = rich.markup.escape(roster.called(each.student))
        table.add_row(who, before, now, "\n".join(each.items))
    if in_all:
        out.print(table)
    if rest := [each for each in moves if not each.in_all]:
        names = rich.markup.escape(_names([each.student for each in rest], roster))
        out.print(f"only items move, and the total stays: {len(rest)} ({names})")


def print_needs_staff(out: Console, struck: Mapping[str, Sequence[str]], roster: Roster) -> None:
    """What kept submissions from a score, or a fair one: each once, with all whom it struck."""
    for message, students in struck.items():
        names = rich.markup.escape(_names(students, roster))
        out.print(f"[magenta]needs staff:[/] {len(students)} ({names})")
        out.print(f"  {rich.markup.escape(message)}")
