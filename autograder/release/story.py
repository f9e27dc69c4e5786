"""What the release writes into the story: when to hand in, what it takes, what each part is worth.

An author writes none of these by hand, for they stand in course.yml.
"""

import re

from autograder.course import Assignment, as_words

_HEADING = re.compile(r"^(#{2,6}) +(.+?) *$", re.MULTILINE)
_FACTS = re.compile(r"^(\*\*Due .*)?Plan .* for it; it is worth .*\.$", re.MULTILINE)
_WORTH = re.compile(
    r"^(#{2,6} .+) \u00b7 [\d.]+ points?( extra)?(, graded by hand)?$", re.MULTILINE
)


def with_facts(story: str, assignment: Assignment, late_days: int = 0) -> str:
    """The first text of a notebook: under its title when to hand in, the time and the points.

    late_days: of each student, for the course.
    """
    told = []
    if assignment.dates is not None:
        told.append(f"**Due {as_words(assignment.dates.due)}.**")
        told += [assignment.late.with_late_days(late_days)] if assignment.late else []
    by_hand = sum(part.points for part in assignment.manual if not part.extra)
    hand = f", {by_hand:g} of them given by people" if by_hand else ""
    worth = f"{_points(assignment.worth)}{' extra' * assignment.extra}{hand}"
    told.append(f"Plan {assignment.estimate} for it; it is worth {worth}.")
    title, _, rest = story.partition("\n")
    parts = (title, " ".join(told), rest.strip("\n"))
    if not title.startswith("# "):
        parts = (" ".join(told), story, "")
    return "\n\n".join(filter(None, parts))


def with_points(text: str, assignment: Assignment) -> str:
    """A text of a notebook: behind each heading that is the title of a part, what that is worth."""
    worth = {
        each.title: f"{_points(each.points)}{' extra' * each.extra}" for each in assignment.items
    }
    for each in assignment.manual:
        worth[each.title] = f"{_points(each.points)}{' extra' * each.extra}, graded by hand"

    def told(found: re.Match[str]) -> str:
        behind = worth.get(found[2])
        return f"{found[1]} {found[2]} · {behind}" if behind else found[0]

    return _HEADING.sub(told, text)


def without_facts(text: str) -> str:
    """A text of a notebook without what the release writes: one of other dates is the same."""
    return _WORTH.sub(r"\1", _FACTS.sub("", text))


def _points(points: float) -> str:
    return f"{points:g} {'point' if points == 1 else 'points'}"
