"""What was asked, as the sentence about it begins: the call with its arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.asking import Question
from autograder.handout.checks import compare
from autograder.sandbox.modules import Blueprint

Target = str | Blueprint


def described(
    target: Target, parameters: Sequence[str], args: Sequence[Any], options: Mapping[str, Any]
) -> str:
    """One call, in words; options: as `Agree` has them; parameters: the names of arguments."""
    question = Question.of(target, tuple(args), dict(options))
    kwargs = dict(question.kwargs)
    said = compare.describe_call(module_said(target), list(parameters), list(args), kwargs)
    said += ", under torch.no_grad()" * question.how.without_grad
    if not question.how.before:
        return said
    if question.how.overwritten:
        return f"{said}, after a call whose result was then written to"
    if question.how.before_method:
        return f"{said}, after a call of {question.how.before_method} with other numbers"
    named: dict[int | str, str] = dict(enumerate(parameters))
    given: dict[int | str, Any] = dict(enumerate(args)) | kwargs
    before = question.how.before.items()
    other = [named.get(at, str(at)) for at, each in before if each is not given.get(at)]
    if question.how.in_place:
        return f"{said}, after a call in which the same {' and '.join(other)} held other numbers"
    with_others = f"a call with another {' and another '.join(other)}"
    said += f", after {with_others if other else 'the same call'}"
    if question.how.before_loading:
        said += ", before its weights were loaded"
        said += " and it was moved" * question.how.elsewhere
    return said


def module_said(target: Target) -> str:
    """A function's name, or a module with what it is made with."""
    if isinstance(target, str):
        return compare.describe_module(target)
    made = target.name, target.args, target.kwargs or {}, target.method, target.train
    return compare.describe_module(*made)
