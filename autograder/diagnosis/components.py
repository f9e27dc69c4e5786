"""The components of an assignment, step by step, and what they answer with a fault in them.

A component's file is run as a cell of the assignment's notebook, whose other cells are the
reference's. A faulty component then stands in the notebook under the name that students give it,
and is asked as a student is.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import yaml
from torch import nn

from autograder.asking import Question
from autograder.course import text_of
from autograder.diagnosis.fault import BadFault, Fault, Faults, combine, fault_of
from autograder.notebooks import Source, given_names, modules_for
from autograder.sandbox.kept import named_by_constructors
from autograder.sandbox.made import Modules
from autograder.sandbox.session import Answer, Session

FAULTS = "faults"  # beside the source: a file a component
SHOWS = "shows.yml"  # beside these: where each of their faults shows


Others = Sequence[tuple["Component", Faults]]


@dataclass(frozen=True, eq=False)
class Component:
    """A part of an assignment, step by step, with its faults."""

    name: str
    of: tuple[str, ...]  # what it stands for in the notebook
    cell: str  # the solution cell that defines that
    source: str  # its file
    base: type
    classes: Mapping[str, type]
    faults: Faults
    styles: Faults
    uses: frozenset[str]  # names of other solution cells, and given ones, in its own cell
    needs: frozenset[str]  # the same, and what these are built on
    _session: Session = field(repr=False)
    _reference: Mapping[str, Any] = field(repr=False)
    _making: Set[str] = field(repr=False)  # what its constructor names
    _modules: Modules = field(default_factory=Modules, repr=False)

    @cached_property
    def pairs(self) -> tuple[Faults, ...]:
        """Every two faults on different steps, of those that are made often."""
        return tuple(pair for pair in combinations(self.common, 2) if combine(pair))

    @property
    def common(self) -> Faults:
        """The faults that are made often; all where the file does not say which."""
        often = getattr(self.base, "often", self.classes)
        return tuple(each for each in self.faults if each.name in often)

    def answer(self, faults: Faults, question: Question, others: "Others" = ()) -> Answer:
        """What the component answers with these faults; with none, what is right.

        others: components that it is built on, with faults of their own.
        """
        with self._installed(faults, others) as session:
            own = question.copied()  # a fault may write to its inputs
            # No module is made by what it is passed to.
            makers = [*others, (self, faults)] if self.is_module else others
            self._modules.made_with(tuple(x._those_that_make(y) for x, y in makers))
            return session.call(own.target, own.args, own.kwargs, own.how, self._modules)

    def _those_that_make(self, faults: Faults) -> tuple[str, Faults]:
        """Those with which other modules may be made; a constructor may well call a function."""
        return self.name, tuple(x for x in faults if not self.is_module or self.makes_other(x))

    def makes_other(self, fault: Fault) -> bool:
        """Whether its modules may be made otherwise with a fault, and not only called."""
        return not fault.steps.isdisjoint(self._making)

    def value(self, faults: Faults, name: str) -> Answer:
        """A value of the notebook's, with these faults."""
        with self._installed(faults, ()) as session:
            return session.get(name)

    @contextmanager
    def _installed(self, faults: Faults, others: "Others") -> Iterator[Session]:
        for component, theirs in (*others, (self, faults)):
            component.install(self._session, theirs)
        yield self._session
        for component, _ in others:
            for name in component.of:
                self._session.define(name, self._reference[name])

    def install(self, session: Session, faults: Faults) -> None:
        """Let the component with these faults stand for its names in a notebook."""
        # Named as a student would: exceptions tell.
        made = type(self.of[0], self._bases(faults), {})
        if self.is_module:
            session.define(self.of[0], made)
            return
        instance = made()
        for name in self.of:
            session.define(name, getattr(instance, name)() if self.is_value else instance)

    def _bases(self, faults: Faults) -> tuple[type, ...]:
        names = dict.fromkeys(each.name for each in faults)  # of two places it may be one fault
        return tuple(self.classes[each] for each in names) or (self.base,)

    def cell_with(self, faults: Faults) -> str:
        """The solution cell of a student who makes these mistakes."""
        bases = self._bases(faults)
        kept = {one.__name__ for each in bases for one in each.__mro__}
        parts = [text for name, text in self._parts if name is None or name in kept]
        parts.append(f"class {self.of[0]}({', '.join(x.__name__ for x in bases)}):\n    pass")
        if not self.is_module:
            parts.append(f"made = {self.of[0]}()")
            parts += [
                f"{name} = made" + (f".{name}()" if self.is_value else "") for name in self.of
            ]
        return "\n\n\n".join(parts) + "\n"

    @cached_property
    def _parts(self) -> list[tuple[str | None, str]]:
        """The statements of its file but for the docstring; classes with their names."""
        lines = self.source.splitlines()
        tree = ast.parse(self.source)
        return [
            (
                node.name if isinstance(node, ast.ClassDef) else None,
                "\n".join(lines[node.lineno - 1 : node.end_lineno]),
            )
            for node in tree.body[ast.get_docstring(tree) is not None :]
        ]

    @property
    def is_module(self) -> bool:
        """Whether it is a class of modules."""
        return issubclass(self.base, nn.Module)

    @property
    def is_value(self) -> bool:
        """Whether it stands for values, each made by the method of its name, not for a call."""
        return not self.is_module and "__call__" not in vars(self.base)


def read_components(source: Source, file: Callable[[Path], str] = text_of) -> list[Component]:
    """The components of an assignment, in the order of its notebook. Raises BadFault."""
    folder = source.path.parent / FAULTS
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # every grader waits for these
    shows = yaml.load(file(folder / SHOWS), loader) if (folder / SHOWS).exists() else {}
    found = [
        _component(path, file(path), source, shows.get(path.stem, {}))
        for path in sorted(folder.glob("*.py"))
    ]
    order = list(source.defined_in)
    return sorted(found, key=lambda each: order.index(each.of[0]))


def _component(
    path: Path, text: str, source: Source, shows: Mapping[str, Mapping[str, int]]
) -> Component:
    session = Session()
    for name, module in modules_for(source).items():
        session.module(name, module)
    for cell in source.reference:
        _run(session, cell.name, cell.source, path)
    before = session.names
    own = f"{FAULTS}/{path.name}"  # no cell of the notebook has that name
    _run(session, own, text, path)
    classes = {
        name: value
        for name, value in session.names.items()
        if isinstance(value, type) and before.get(name) is not value and _is_here(value)
    }
    base = next((each for each in classes.values() if "of" in vars(each)), None)
    if base is None:
        raise BadFault(f"{path}: no class says what it stands for, as in of = 'area'")
    of = _names(base)
    nodes = (each for each in ast.parse(text).body if isinstance(each, ast.ClassDef))
    lines = {each.name: each.lineno for each in nodes}
    where = f"{path}:{lines.get(base.__name__, 1)}: {base.__name__}"
    unknown = [name for name in of if name not in source.defined_in]
    if unknown:
        said = f"{unknown[0]} is defined by no solution cell; they define"
        raise BadFault(f"{where}.of: {said} {', '.join(source.defined_in)}")
    made_of = getattr(base, "made_of", {})
    if lost := {x for x in chain(made_of, *made_of.values()) if not hasattr(base, x)}:
        raise BadFault(f"{where}.made_of has steps that are none: {sorted(lost)}")
    faulty = [each for each in classes.values() if issubclass(each, base) and each is not base]
    found = [
        fault_of(path, lines.get(x.__name__, 1), of, x, base, shows.get(x.__name__, {}))
        for x in faulty
    ]
    faults = tuple(each for each in found if not each.is_style)
    styles = tuple(each for each in found if each.is_style)
    for listed, there in (("often", faults), ("styles", styles)):
        if lost := set(getattr(base, listed, ())) - {each.name for each in there}:
            raise BadFault(f"{where}.{listed} has what is none: {sorted(lost)}")
    home = source.defined_in[of[0]]
    uses, needs = (each - set(of) for each in _needs(source, home))
    names = path.stem, of, home, text
    making = named_by_constructors(session.codes[own])
    return Component(*names, base, classes, faults, styles, uses, needs, session, before, making)


def _run(session: Session, name: str, text: str, path: Path) -> None:
    failure = session.cell(name, text)
    if failure:
        at = f"{path}:{failure.line}" if failure.cell == name else str(path)
        raise BadFault(f"{at}: the cell {name} raises {failure.type}: {failure.message}")


def _is_here(value: type) -> bool:
    return value.__module__ == "notebook"


def _names(component: type) -> tuple[str, ...]:
    of: Any = component.of  # type: ignore[attr-defined]
    return (of,) if isinstance(of, str) else tuple(of)


def _needs(source: Source, cell: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names of solution cells and given ones in a cell; and with those that these use."""
    used = {
        each.name: {
            node.id for node in ast.walk(ast.parse(each.source)) if isinstance(node, ast.Name)
        }
        for each in source.reference
        if each.solution
    }
    known = source.defined_in.keys() | set(given_names(source))
    found: set[str] = set()
    waiting = [cell]
    while waiting:
        new = (used[waiting.pop()] & known) - found
        found |= new
        waiting += [source.defined_in[name] for name in new & source.defined_in.keys()]
    return frozenset(used[cell] & known), frozenset(found)


def of_name(components: Sequence[Component], name: str) -> Component | None:
    """The component that stands for a name of the notebook."""
    return next((each for each in components if name in each.of), None)
