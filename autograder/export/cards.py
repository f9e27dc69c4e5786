"""A result by mistake, then by item: what a page, the terminal and nbgrader's feedback tell alike.

Each mistake is a card; what several items are told alike is one, too. An item's line names the
cards that tell of it, and keeps as evidence what none of them tells.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course import Feedback, ItemResult, Mistake, Place, Result, SmallestExample, Verdict
from autograder.export.grids import side_by_side
from autograder.export.page import LOOKS, number

__all__ = ["Card", "Choice", "as_text", "cards_of", "evidence", "line", "told_in"]

_KEPT = (Verdict.PASSED, Verdict.CARRIED, Verdict.INTERNAL)
_ASKED = (Verdict.WRONG, Verdict.ERROR)
_EITHER = "One of these, and nothing tells here which:"
_HIDES = "An exception hides what comes after it: there may be more to find."
_WIDTH = 88  # characters of a line of text


@dataclass(frozen=True)
class Choice:
    """What is done wrong, and what to think about."""

    what: str
    think: str | None


@dataclass(frozen=True)
class Card:
    """One mistake, as it is told: what, where, what to think about, what it costs and touches."""

    number: int
    heading: str
    choices: tuple[Choice, ...] = ()  # of which one was made
    think: str | None = None
    place: Place | None = None
    said: tuple[str, ...] = ()  # paragraphs
    example: SmallestExample | None = None
    costs: float = 0.0  # in points
    pays: tuple[ItemResult, ...] = ()  # for it
    touches: tuple[ItemResult, ...] = ()  # and costs nothing there

    @property
    def counts(self) -> bool:
        """Whether anything that it touches is worth points: what was dropped is not."""
        return not self.items or any(each.points for each in self.items)

    @property
    def items(self) -> tuple[ItemResult, ...]:
        """All that it touches, the ones that pay first."""
        return self.pays + self.touches

    def price(self, max_score: float) -> str:
        """What it costs, to be followed by where."""
        if not self.counts:
            return "Does not count"
        if not self.costs:
            return "Costs nothing by itself"
        return f"Costs {number(self.costs)} of {number(max_score)} points"


def cards_of(result: Result, feedback: Feedback) -> list[Card]:
    """The cards of a result, as far as its student is told of mistakes; none without a score.

    Those that do not count stand last.
    """
    if feedback != "diagnosis" or result.needs_staff:
        return []
    items = {each.item: each for each in result.items}
    cards = [_card(each, items) for each in result.mistakes]
    told = {item for mistake in result.mistakes for item in mistake.items}
    alike: dict[tuple[str, ...], list[ItemResult]] = {}
    for each in result.items:
        if each.verdict not in _KEPT and each.item not in told:
            alike.setdefault(_told_of(each), []).append(each)
    for (heading, *said), theirs in alike.items():
        pays = tuple(each for each in theirs if each.points)
        touches = tuple(each for each in theirs if not each.points)
        costs = sum(each.points - (each.score or 0) for each in pays)
        cards.append(Card(0, heading, said=tuple(said), costs=costs, pays=pays, touches=touches))
    cards.sort(key=lambda card: not card.counts)
    return [replace(card, number=at) for at, card in enumerate(cards, start=1)]


def told_in(cards: Sequence[Card]) -> dict[str, list[Card]]:
    """The cards that tell of an item, by its id."""
    found: dict[str, list[Card]] = {}
    for card in cards:
        for item in card.items:
            found.setdefault(item.item, []).append(card)
    return found


def evidence(item: ItemResult, told: bool) -> tuple[str, ...]:
    """What there is to read below an item's line; told: whether a card tells of it."""
    if item.verdict is Verdict.CARRIED:
        return ()  # its line says it all
    known = (item.message, None if item.diagnosis else item.hint) if told else item.said
    said = list(filter(None, known))
    message = item.message or ""
    says_more = item.verdict is Verdict.MISSING and "\n" in message  # than what is missing
    if says_more or (message and item.verdict in _ASKED):
        said[0] = f"Asked: {said[0]}"  # it says what should hold, and stands where it does not
    return tuple(said)


def _told_of(item: ItemResult) -> tuple[str, ...]:
    """What is told of an item that no mistake touches: a heading, and more."""
    meaning = LOOKS[item.verdict].meaning
    if item.verdict is Verdict.WRONG:
        return (meaning, *evidence(item, told=False))
    # The first line says what should hold, which differs from item to item.
    first, _, rest = (item.message or meaning).partition("\n")
    heading, _, more = (rest or first).partition("\n")
    return (_as_heading(heading), *filter(None, [more]))


def _as_heading(said: str) -> str:
    return f"The {said[4:]}" if said.startswith("the ") else said  # a cell; names stay as they are


def _card(mistake: Mistake, items: Mapping[str, ItemResult]) -> Card:
    touched = [items[each] for each in mistake.items if each in items]
    heading, choices, said = _unexplained(touched), tuple[Choice, ...](), tuple[str, ...]()
    think = mistake.think[0] if len(mistake.think) == 1 else None
    if len(mistake.what) > 1:
        thoughts = [*mistake.think, *[None] * len(mistake.what)]
        heading, think = _EITHER, None
        choices = tuple(Choice(*each) for each in zip(mistake.what, thoughts, strict=False))
    elif mistake.kind == "line" and mistake.place is not None:
        heading, said = "The mistake stands in this line", mistake.what
    elif mistake.what:
        heading = _as_heading(mistake.what[0])
    said += tuple((mistake.proof or "").splitlines())
    return Card(
        number=0,
        heading=heading,
        choices=choices,
        think=think,
        place=mistake.place,
        said=(*said, _HIDES) if mistake.kind == "error" else said,
        example=mistake.example,
        costs=sum(mistake.costs.values()),
        pays=tuple(each for each in touched if each.item in mistake.costs),
        touches=tuple(each for each in touched if each.item not in mistake.costs),
    )


def _unexplained(items: Sequence[ItemResult]) -> str:
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    return f"Not yet explained: {items[0].title}{more}" if items else "Not yet explained"


# As text


def line(item: ItemResult, cards: Sequence[Card]) -> str:
    """An item in a line; cards: those that tell of it."""
    points = "-" if item.score is None else number(item.score)
    said = f"{item.item}: {item.verdict} ({points} of {number(item.points)})"
    *before, last = [str(each.number) for each in cards] or [""]
    several = f"mistakes {', '.join(before)} and {last}"
    mistakes = several if before else f"mistake {last}" if last else ""
    if item.verdict is Verdict.CARRIED:
        mistakes = f"right except for {mistakes}" if cards else item.message or ""
    return ", ".join(filter(None, (said, mistakes)))


def as_text(card: Card, max_score: float) -> str:
    """A card in lines of a readable width, for where there is nothing but text."""
    return "\n".join(_lines(card, max_score))


def _lines(card: Card, max_score: float) -> Iterator[str]:
    yield from _wrapped(card.heading, f"{card.number}. ")
    for each in card.choices:
        yield from _wrapped(each.what, "   - ")
        yield from _wrapped(each.think or "", "     ")
    if card.place is not None:
        yield f"   In line {card.place.line} of the cell {card.place.cell}:"
        yield f"     {card.place.source}"
    yield from _wrapped(card.think or "", "   ")
    for text in card.said:
        yield from _wrapped(text, "   ")
    if card.example is not None:
        yield from _wrapped(f"The smallest example found{card.example.weights}:", "   ")
        yield from _wrapped(card.example.call, "     ")
        numbers = side_by_side(card.example)
        yield from _wrapped(card.example.of or card.example.problem, "     ")
        yield from (f"       {each}" for each in numbers)
    yield from _wrapped(card.price(max_score) + _where(card), "   ")


def _where(card: Card) -> str:
    said = f", at {_titles(card.pays)}." if card.pays else "."
    also = " also" if card.pays else ""
    return said + (f" Touches{also}: {_titles(card.touches)}." if card.touches else "")


def _titles(items: Sequence[ItemResult]) -> str:
    return "; ".join(each.title for each in items)  # a title may have commas of its own


def _wrapped(text: str, indent: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from textwrap.wrap(
            line,
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=" " * len(indent),
            break_long_words=False,
            break_on_hyphens=False,
        )
        indent = " " * len(indent)
