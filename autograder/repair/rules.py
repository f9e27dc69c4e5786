"""What may stand in the place of a piece of code: the rules that mutants and repairs share."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import libcst as cst

# One for the other, and the other for the one; operators are told by the names of their classes.
_PAIRS = (
    *("Add Subtract", "Multiply Divide", "BitAnd BitOr", "And Or", "Equal NotEqual", "Is IsNot"),
    *("LessThan LessThanEqual", "GreaterThan GreaterThanEqual", "sin cos", "argmax argmin"),
    *("tril triu", "softmax log_softmax", "ones zeros", "ones_like zeros_like", "sqrt square"),
    *("mean sum", "min max", "all any", "eval train", "float32 float64", "relu sigmoid"),
    *("cat stack", "no_grad enable_grad", "embedding_dim num_embeddings"),
)
RELATED = {"Power": "Multiply", "FloorDivide": "Divide", "Modulo": "FloorDivide"}  # and back not
RELATED |= {one: two for pair in map(str.split, _PAIRS) for one, two in (pair, reversed(pair))}
_CONSTANTS = {"True": "False", "False": "True", "None": "False"}
NO_VALUE = ("torch", "nn", "math", "self")  # before a dot: no chain of calls begins there
_PARENTHESES: dict[str, Any] = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}


class Place(NamedTuple):
    """A node of a cell, that around it, and the names bound before it in its function."""

    node: cst.CSTNode
    parent: cst.CSTNode | None
    bound: list[str]


@lru_cache(1 << 14)  # of a few cells: libcst takes long to find them
def children(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """What a node is made of."""
    return node.children


def places(module: cst.Module) -> Iterator[Place]:
    """Every place of a cell in which something else may stand."""
    return _walk(module, None, [])


def _walk(node: cst.CSTNode, parent: cst.CSTNode | None, bound: list[str]) -> Iterator[Place]:
    if isinstance(node, (cst.Annotation, cst.FormattedString, cst.AssignTarget)):
        return
    yield Place(node, parent, list(dict.fromkeys(bound)))
    if isinstance(node, cst.FunctionDef):
        bound = [each.name.value for each in node.params.params if each.name.value != "self"]
    for child in children(node):
        yield from _walk(child, node, bound)
    if isinstance(node, cst.Assign):
        target = node.targets[0].target
        parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
        bound += (each.value for each in parts if isinstance(each, cst.Name))


def alternatives(place: Place) -> Iterator[cst.CSTNode]:
    """What may stand in the place of its node, the smallest changes first."""
    for rule in (_operator, _constant, _call, _name, _order, _statement):
        yield from rule(place)


def _operator(place: Place) -> Iterator[cst.CSTNode]:
    """One operand alone, or another operator."""
    node = place.node
    if isinstance(node, cst.UnaryOperation):
        yield node.expression
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
        yield from (node.left, node.right)
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation, cst.ComparisonTarget)):
        other = RELATED.get(type(node.operator).__name__)
        yield from [node.with_changes(operator=getattr(cst, other)())] if other else []


def _constant(place: Place) -> Iterator[cst.CSTNode]:
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


def _call(place: Place) -> Iterator[cst.CSTNode]:
    """Arguments exchanged or dropped, a call left out, what masked_fill fills negated."""
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
        if not isinstance(owner, cst.Name) or owner.value not in NO_VALUE:
            yield owner
        if node.func.attr.value == "masked_fill":
            others = cst.UnaryOperation(cst.BitInvert(), args[0].value)
            yield node.with_changes(args=[args[0].with_changes(value=others), *args[1:]])


def _name(place: Place) -> Iterator[cst.CSTNode]:
    """A related function; as an argument, the local name bound before this one."""
    node, parent = place.node, place.parent
    if not isinstance(node, cst.Name):
        return
    if isinstance(parent, (cst.Attribute, cst.Call)) and node.value in RELATED:
        yield cst.Name(RELATED[node.value])
    if isinstance(parent, cst.Arg) and parent.value is node and node.value in place.bound:
        yield cst.Name(place.bound[place.bound.index(node.value) - 1])


def _order(place: Place) -> Iterator[cst.CSTNode]:
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


def _statement(place: Place) -> Iterator[cst.CSTNode]:
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
