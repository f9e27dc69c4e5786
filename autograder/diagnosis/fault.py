"""A fault: one mistake in one component, as a subclass that overrides some of its steps.

A style is no mistake but another right way to write a component, beside which a mistake may give
other numbers. It has no item to be caught by, and nobody is told of it.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path


class BadFault(ValueError):
    """A file of the bank is not as it must be: a fault of the course's."""


@dataclass(frozen=True, eq=False)
class Fault:
    """One mistake in one component."""

    component: str
    of: tuple[str, ...]  # what that stands for in the notebook
    name: str
    item: str  # meant to catch it
    sentence: str  # what is done wrong
    thought: str  # what to think about
    steps: frozenset[str]  # those that it overrides, and what these were made of
    # In how many cases of which item it changes the answer, where that is known.
    shows: Mapping[str, int] = field(default_factory=dict, compare=False)
    is_style: bool = False  # it is right, too
    line: int = 1  # of the component's file, on which its class begins

    @property
    def said(self) -> str:
        """What a student reads."""
        return f"{self.sentence}\n  {self.thought}"

    @property
    def mistake(self) -> tuple[str, str]:
        """What is the same in all ways to write it."""
        return self.component, self.sentence

    def may_show(self, item: str) -> bool:
        """Whether it is known to show in an item, or nothing is known of it."""
        return item in self.shows or not self.shows

    @property
    def id(self) -> str:
        """Its name in results: `area.AddsTheSides`."""
        return f"{self.component}.{self.name}"


Faults = tuple[Fault, ...]  # on different steps, of one component and of those it is built on


def fault_of(
    path: Path, line: int, of: tuple[str, ...], found: type, base: type, shows: Mapping[str, int]
) -> Fault:
    """The fault, or the style, that a class of a component's file is. Raises BadFault."""
    where = f"{path}:{line}: {found.__name__}"
    is_style = found.__name__ in getattr(base, "styles", ())
    sentence, _, thought = (inspect.getdoc(found) or "").strip().partition("\n\n")
    # One that inherits from another is the same mistake, written in another way.
    between = found.__mro__[: found.__mro__.index(base)]
    item = getattr(found, "item", "" if is_style else None)
    if not sentence or not (thought or is_style):
        what = "a thought" if sentence else "a sentence"
        raise BadFault(f"{where} lacks {what}: a docstring is a sentence, an empty line, a thought")
    if not isinstance(item, str):
        raise BadFault(f'{where} lacks its item, as in item = "area"')
    names = {name for each in between for name in vars(each)}
    steps = {name for name in names if not name.startswith("__") or name == "__init__"}
    steps -= {"item"}
    steps |= {part for each in between for part in _replaced(each, getattr(base, "made_of", {}))}
    if strange := [each for each in steps if not hasattr(base, each)]:
        raise BadFault(f"{where} overrides no step of {base.__name__}: {strange}")
    if not steps:
        raise BadFault(f"{where} overrides nothing")
    sentence, thought = (" ".join(each.split()) for each in (sentence, thought))
    parts = path.stem, of, found.__name__, item, sentence, thought
    return Fault(*parts, frozenset(steps), shows, is_style, line)


def _replaced(found: type, made_of: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The steps that another one is made of, where a class has its own way to take that one."""
    for step, parts in made_of.items():
        code = getattr(vars(found).get(step), "__code__", None)
        if code is not None and "super" not in code.co_names:
            yield from parts


def combine(faults: Iterable[Fault]) -> bool:
    """Whether each is on steps of its own, so that one submission may have them all."""
    steps = [(each.component, step) for each in faults for step in each.steps]
    return len(steps) == len(set(steps))


def named(faults: Iterable[Fault]) -> tuple[str, ...]:
    """Their ids."""
    return tuple(each.id for each in faults)
