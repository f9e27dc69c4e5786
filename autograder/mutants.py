"""Mutants of the references: the text of a solution with one small change, by fixed rules.

A mutant is graded as a submission is, behind the walls. One that loses no item is either told in
faults/equivalent.yml, with the reason why nobody can tell it from the reference, or the checks
have a gap. Docstrings, comments and the wording of messages are left alone.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst
import yaml

from autograder.grading import Exam, limits_of, open_exam, remote_student
from autograder.notebook import Submission
from autograder.plugin import Runner
from autograder.result import Verdict
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server
from autograder.source import Source

EQUIVALENT = Path(__file__).with_name("faults") / "equivalent.yml"
_CALL_SECONDS = 1.0  # for one call: the reference takes a twentieth of it at most
_NO_ITEM_LOOKS_AT = ("train",)  # cells: how a model was trained shows in its translations
_MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)

# One for the other, and the other for the one; operators are told by the names of their classes.
_PAIRS = (
    *("Add Subtract", "Multiply Divide", "BitAnd BitOr", "And Or", "Equal NotEqual", "Is IsNot"),
    *("LessThan LessThanEqual", "GreaterThan GreaterThanEqual", "sin cos", "argmax argmin"),
    *("tril triu", "softmax log_softmax", "ones zeros", "ones_like zeros_like", "sqrt square"),
    *("mean sum", "min max", "all any", "eval train", "float32 float64", "relu sigmoid"),
    *("cat stack", "no_grad enable_grad", "embedding_dim num_embeddings"),
)
_RELATED = {"Power": "Multiply", "FloorDivide": "Divide", "Modulo": "FloorDivide"}  # and back not
_RELATED |= {one: two for pair in map(str.split, _PAIRS) for one, two in (pair, reversed(pair))}
_CONSTANTS = {"True": "False", "False": "True", "None": "False"}
_NO_VALUE = ("torch", "nn", "math", "self")  # before a dot: no chain of calls begins there
_PARENTHESES: dict[str, Any] = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}


@dataclass(frozen=True)
class Mutant:
    """One change of one solution cell."""

    cell: str
    number: int  # in its assignment, from 1
    description: str  # line N: <old line> -> <new line>
    text: str  # of the whole cell


@dataclass(frozen=True)
class Tried:
    """A mutant, the item that it lost first, and the reason told why it need not lose any."""

    mutant: Mutant
    lost: str | None
    reason: str | None

    @property
    def problem(self) -> str | None:
        """What is wrong with the checks, or with the list of equivalents."""
        if self.lost and self.reason:
            return f"it is told to be equivalent, but loses {self.lost}"
        return None if self.lost or self.reason else "it loses no item"


def mutants(source: Source) -> list[Mutant]:
    """Every mutant of an assignment's solutions, in the order of the notebook."""
    found: list[Mutant] = []
    for cell in source.reference:
        if cell.solution and cell.name not in _NO_ITEM_LOOKS_AT:
            text = _MARKER.sub("", cell.source)
            for new in _changed(text):
                found.append(Mutant(cell.name, len(found) + 1, _description(text, new), new))
    return found


def killed_by(mutant: Mutant, exam: Exam, server: Server, run: Runner) -> str | None:
    """The first item that a mutant loses, of those that ask the notebook anything.

    First come those that ask for what its cell defines, and of these the cheapest. Raises
    RuntimeError when it is our fault.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in exam.bank.cases:
        seconds[case.item] += case.seconds
    asked: dict[str, set[str]] = {}
    for each in exam.outcomes:
        asked.setdefault(each.item, set()).update(one.question.name for one in each.asked)
    own = exam.source.defines(mutant.cell)
    items = sorted(
        filter(asked.get, asked), key=lambda item: (asked[item].isdisjoint(own), seconds[item])
    )
    changed = {(mutant.cell, True): mutant.text}
    cells = tuple(
        replace(each, source=changed.get((each.name, each.solution), each.source))
        for each in exam.source.reference
    )
    server.start()
    with remote_student(Submission(cells, (), ""), exam, server) as student:
        for outcome in (each for item in items for each in run(student, Path(), [item])):
            if outcome.verdict is Verdict.INTERNAL:
                raise RuntimeError(f"{mutant.cell}, {mutant.description}: {outcome.message}")
            if outcome.verdict is not Verdict.PASSED:
                return outcome.item
    return None


def mutant_limits(exam: Exam) -> Limits:
    """What a mutant may take: less time than a submission, for many do not end."""
    return replace(limits_of(exam.assignment), call_seconds=_CALL_SECONDS)


def try_mutants(exam: Exam, server: Server, chosen: Sequence[Mutant]) -> list[Tried]:
    """Grade mutants, each until it loses an item. Raises as read_equivalent does."""
    reasons = read_equivalent(exam.source)
    exam = replace(exam, foreseen=())  # most are lost by the first questions

    def tried(run: Runner) -> list[Tried]:
        return [
            Tried(
                each, killed_by(each, exam, server, run), reasons.get((each.cell, each.description))
            )
            for each in chosen
        ]

    return open_exam(exam, tried)


def read_equivalent(source: Source) -> dict[tuple[str, str], str]:
    """The reasons why mutants of an assignment are equivalent, by cell and description.

    Raises ValueError for one that is told and does not exist.
    """
    read = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8"))[source.assignment]
    told = {(cell, said): str(why) for cell, each in read.items() for said, why in each.items()}
    unknown = told.keys() - {(each.cell, each.description) for each in mutants(source)}
    for cell, said in sorted(unknown):
        raise ValueError(f"{EQUIVALENT}: {source.assignment}, {cell}: there is no mutant {said!r}")
    return told


# Of a text, all that differ from it in one place


class _Place(NamedTuple):
    """A node of a cell, that around it, and the names bound before it in its function."""

    node: cst.CSTNode
    parent: cst.CSTNode | None
    bound: list[str]


def _changed(text: str) -> Iterator[str]:
    module = cst.parse_module(text)
    seen = {_tree(text), None}
    rules = _operator, _constant, _call, _name, _order, _statement
    for place in _walk(module, None, []):
        for new in (each for rule in rules for each in rule(place)):
            changed = _with(module, place.node, new)
            if _tree(changed) not in seen:
                seen.add(_tree(changed))
                yield changed


def _walk(node: cst.CSTNode, parent: cst.CSTNode | None, bound: list[str]) -> Iterator[_Place]:
    if isinstance(node, (cst.Annotation, cst.FormattedString, cst.AssignTarget)):
        return
    yield _Place(node, parent, list(dict.fromkeys(bound)))
    if isinstance(node, cst.FunctionDef):
        bound = [each.name.value for each in node.params.params if each.name.value != "self"]
    for child in node.children:
        yield from _walk(child, node, bound)
    if isinstance(node, cst.Assign):
        target = node.targets[0].target
        parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
        bound += (each.value for each in parts if isinstance(each, cst.Name))


def _with(module: cst.Module, old: cst.CSTNode, new: cst.CSTNode) -> str:
    """The text with a node replaced, put in parentheses where it would fall apart without."""
    also = [new.with_changes(**_PARENTHESES)] if isinstance(new, cst.BaseExpression) else []
    changed = (module.deep_replace(old, each) for each in (new, *also))
    plain, *safe = (cst.ensure_type(each, cst.Module).code for each in changed)
    return plain if not safe or _tree(safe[0]) in (None, _tree(plain)) else safe[0]


def _tree(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None


def _description(old: str, new: str) -> str:
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    number, *lines = next((at, *pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    before, after = (str(line).partition("  #")[0].strip() for line in lines)
    return f"line {number}: {before} -> {after}"


# The rules: what may stand in the place of a node


def _operator(place: _Place) -> Iterator[cst.CSTNode]:
    """One operand alone, or another operator."""
    node = place.node
    if isinstance(node, cst.UnaryOperation):
        yield node.expression
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
        yield from (node.left, node.right)
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation, cst.ComparisonTarget)):
        other = _RELATED.get(type(node.operator).__name__)
        yield from [node.with_changes(operator=getattr(cst, other)())] if other else []


def _constant(place: _Place) -> Iterator[cst.CSTNode]:
    """Another number: one more or less, twice as much, 0, of the other sign; another constant."""
    node = place.node
    if isinstance(node, (cst.Integer, cst.Float)):
        value = node.evaluated_value
        others = [value + 1, value - 1] if isinstance(node, cst.Integer) else [2 * value]
        if not isinstance(place.parent, cst.UnaryOperation):  # that is removed by another rule
            others.append(-value)
        yield from (cst.parse_expression(repr(each)) for each in (*others, 0 * value))
    elif isinstance(node, cst.Name) and node.value in _CONSTANTS:
        yield cst.Name(_CONSTANTS[node.value])


def _call(place: _Place) -> Iterator[cst.CSTNode]:
    """Arguments exchanged or dropped, a call left out, what a mask fills negated."""
    node = place.node
    if not isinstance(node, cst.Call):
        return
    args = node.args
    plain = [at for at, each in enumerate(args) if not each.keyword and not each.star]
    yield from (node.with_changes(args=_exchanged(args, at)) for at in plain[:-1])
    yield from (node.with_changes(args=_without(args, at)) for at in range(len(args)))
    if isinstance(place.parent, cst.Expr):
        return  # a statement, which another rule deletes
    yield from (args[at].value for at in plain[:1])
    if isinstance(node.func, cst.Attribute):
        owner = node.func.value
        if not isinstance(owner, cst.Name) or owner.value not in _NO_VALUE:
            yield owner
        if node.func.attr.value == "masked_fill":
            mask = cst.UnaryOperation(cst.BitInvert(), args[0].value)
            yield node.with_changes(args=[args[0].with_changes(value=mask), *args[1:]])


def _name(place: _Place) -> Iterator[cst.CSTNode]:
    """A related function; as an argument, the local name bound before this one."""
    node, parent = place.node, place.parent
    if not isinstance(node, cst.Name):
        return
    if isinstance(parent, (cst.Attribute, cst.Call)) and node.value in _RELATED:
        yield cst.Name(_RELATED[node.value])
    if isinstance(parent, cst.Arg) and parent.value is node and node.value in place.bound:
        yield cst.Name(place.bound[place.bound.index(node.value) - 1])


def _order(place: _Place) -> Iterator[cst.CSTNode]:
    """Neighbours in a tuple, list or subscript exchanged; less of a subscript."""
    node = place.node
    if isinstance(node, (cst.Tuple, cst.List)):
        for at in range(len(node.elements) - 1):
            yield node.with_changes(elements=_exchanged(node.elements, at))
    elif isinstance(node, cst.Slice):
        yield from (node.with_changes(**{end: None}) for end in ("lower", "upper"))
    elif isinstance(node, cst.Subscript):
        yield node.value
        for at in range(len(node.slice) - 1):
            yield node.with_changes(slice=_exchanged(node.slice, at))
            yield node.with_changes(slice=_without(node.slice, at))


def _exchanged(parts: Sequence[Any], at: int) -> list[Any]:
    """A part and the next one exchanged; the commas stay."""
    one, other = parts[at : at + 2]
    both = other.with_changes(comma=one.comma), one.with_changes(comma=other.comma)
    return [*parts[:at], *both, *parts[at + 2 :]]


def _without(parts: Sequence[Any], at: int) -> list[Any]:
    *found, last = [*parts[:at], *parts[at + 1 :]] or [None]
    return [*found, last.with_changes(comma=cst.MaybeSentinel.DEFAULT)] if last else []


def _statement(place: _Place) -> Iterator[cst.CSTNode]:
    """A statement deleted, a block without its `with`, a condition negated or always the same."""
    node = place.node
    if isinstance(node, (cst.If, cst.While)):
        not_ = cst.UnaryOperation(cst.Not(), node.test.with_changes(**_PARENTHESES))
        tests = cst.Name("True"), cst.Name("False"), not_
        yield from (node.with_changes(test=each) for each in tests)
    elif isinstance(node, (cst.For, cst.With, cst.Try)):
        if isinstance(node, cst.With):
            yield cst.If(cst.Name("True"), node.body, leading_lines=node.leading_lines)
        yield cst.SimpleStatementLine([cst.Pass()], leading_lines=node.leading_lines)
    elif isinstance(node, cst.SimpleStatementLine):
        only = node.body[0]
        if not (isinstance(only, cst.Expr) and isinstance(only.value, cst.SimpleString)):
            yield node.with_changes(body=[cst.Pass()])
