"""The public cases of a release: what the public checks asked of the reference, as JSON."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from autograder.asking import Question
from autograder.checking import Agree, Asked, CheckOutcome, Weights
from autograder.course import Item
from autograder.diagnosis import Case, Fault, apart, of_name
from autograder.grading import Exam
from autograder.handout.checks.compare import describe_module
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer


def recorded_cases(exam: Exam) -> str:
    """The text of cases.json."""
    recorder = _Recorder(exam)
    items: dict[str, dict[str, Any]] = {}
    for item in exam.assignment.items:
        ours = [each for each in exam.outcomes if each.item == item.id]
        shapes_only = item.visibility == "hidden"
        public = [(asked, each) for each in ours if each.public for asked in each.asked]
        items[item.id] = {
            "tolerance": item.tolerance,
            "shapes_only": shapes_only,
            "sentences": list(dict.fromkeys(each.sentence for each in ours)),
            "cases": [recorder.case(asked, each, shapes_only) for asked, each in public],
        }
        if exam.assignment.diagnose_in_notebook and not shapes_only:
            found = _mistakes(exam, item, [asked for asked, _ in public])
            items[item.id]["mistakes"] = {each.id: each.said for each, _ in found}
            for fault, answers in found:
                for case, answer in zip(items[item.id]["cases"], answers, strict=True):
                    case.setdefault("mistakes", {})[fault.id] = _given(case["kind"], answer)
    return as_text({"assignment": exam.assignment.id, "items": items})


def as_text(cases: dict[str, Any]) -> str:
    """Recorded cases as the text of their file."""
    text = json.dumps(cases, indent=1)
    # A row of numbers on one line is easier to read, and to compare.
    return re.sub(r"\[\s+([^][{}]*?)\s+\]", _on_one_line, text) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r"\s*\n\s*", " ", found.group(1)) + "]"


def _mistakes(exam: Exam, item: Item, public: Sequence[Asked]) -> list[tuple[Fault, list[Answer]]]:
    """The single faults that the public cases of an item show, and what these give in each."""
    cases = [Case(item.id, each.question, each.answer, item.tolerance, each) for each in public]
    components = [of_name(exam.bank.components, each.question.name) for each in cases]
    found = []
    for component in filter(None, dict.fromkeys(components)):
        for fault in component.faults:
            answers = [
                exam.bank.ask_fault(component, (fault,), case) if of is component else case.right
                for of, case in zip(components, cases, strict=True)
            ]
            shows = [apart(each, case) for each, case in zip(answers, cases, strict=True)]
            if any(shows) and all(map(_can_be_shown, answers, cases)):
                found.append((fault, answers))
    return found


def _given(kind: str, answer: Answer) -> dict[str, Any]:
    """What a fault gives, as a case has it of the reference."""
    if kind == "raises":
        return {}
    if kind == "parameters":
        return {"expected": {name: list(each.shape) for name, each in answer.value.items()}}
    given = {"expected": _to_json(answer.value)}
    if kind == "call":
        given["expected_read"] = _to_json(answer.read)
        given["gradients"] = [_to_json(each) for each in answer.gradients]
    return given


def _can_be_shown(answer: Answer, case: Case) -> bool:
    """Whether it gives numbers, and all of them finite: no other can be recorded."""
    if case.right.failure is not None:  # an error is asked for, and what it says stands there
        return answer.failure is not None
    return answer.failure is None and all(
        not each.is_floating_point() or bool(each.isfinite().all())
        for each in _tensors((answer.value, answer.read, answer.gradients))
    )


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _tensors(each)


class _Recorder:
    def __init__(self, exam: Exam) -> None:
        self._weights = Weights(exam.reference, exam.secret, exam.assignment.id)
        self._agree = Agree(
            exam.reference, exam.reference, 1.0, exam.source.parameters, self._weights
        )

    def case(self, asked: Asked, outcome: CheckOutcome, shapes_only: bool) -> dict[str, Any]:
        """One question, with what a right answer is."""
        question, expected = asked.question, asked.answer.value
        case = {
            "sentence": outcome.sentence,
            "hint": outcome.hint,
            "fits": list(outcome.fits),
            "kind": asked.kind,
            "name": question.name,
        }
        if asked.kind == "value":
            return case | {"expected": _shapes(expected) if shapes_only else _to_json(expected)}
        case |= self._call(question)
        if asked.kind == "raises":
            return case | {"expected": asked.error, "naming": list(asked.naming)}
        if asked.kind == "parameters":
            return case | {"expected": {name: list(each.shape) for name, each in expected.items()}}
        cotangents = None if shapes_only else question.how.cotangents
        return case | {
            "expected": _shapes(expected) if shapes_only else _to_json(expected),
            "expected_read": _to_json(asked.answer.read),
            "outputs": list(asked.outputs),
            "look_at": list(asked.look_at),
            "exact_zeros": asked.exact_zeros,
            "cotangents": None if cotangents is None else [_to_json(each) for each in cotangents],
            "gradients_of": [] if shapes_only else self._agree.gradients_of(question),
            "gradients": [] if shapes_only else [_to_json(each) for each in asked.answer.gradients],
        }

    def _call(self, question: Question) -> dict[str, Any]:
        target = question.target
        module = target if isinstance(target, Blueprint) else None
        called = question.name
        if module:
            how = module.args, module.kwargs, module.method, module.train
            called = describe_module(module.name, *how)
        return {
            "called": called,
            "module": module and self._module(module),
            "parameters": self._agree.parameters_of(target),
            "args": [self._argument(each) for each in question.args],
            "kwargs": {name: self._argument(each) for name, each in question.kwargs.items()},
            "read": list(question.how.read),
        }

    def _argument(self, value: Any) -> Any:
        return {"module": self._module(value)} if isinstance(value, Blueprint) else _to_json(value)

    def _module(self, module: Blueprint) -> dict[str, Any]:
        shapes, changes = None, dict[str, Any]()
        if module.weights is not None:
            shapes = {name: list(each.shape) for name, each in module.weights.items()}
            changes = self._changes(module, module.weights)
        return {
            "name": module.name,
            "args": [_to_json(each) for each in module.args],
            "kwargs": {name: _to_json(each) for name, each in (module.kwargs or {}).items()},
            "method": module.method,
            "train": module.train,
            "dtype": str(module.dtype).removeprefix("torch."),
            "shapes": shapes,
            "seed": self._weights.seed(module),
            "changes": changes,
        }

    def _changes(self, module: Blueprint, weights: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        drawn = self._weights.filled(module).weights or {}
        return {name: _to_json(each) for name, each in weights.items() if each is not drawn[name]}


def _shapes(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_shapes(each) for each in value]
    return {"shape": list(value.shape)}


def _to_json(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_to_json(each) for each in value]
    if not isinstance(value, torch.Tensor):
        return value
    order = sorted(range(value.dim()), key=value.stride().__getitem__, reverse=True)
    return {
        "dtype": str(value.dtype).removeprefix("torch."),
        "shape": list(value.shape),
        "order": order,
        "grad": value.requires_grad,
        "data": value.detach().permute(order).flatten().tolist(),
    }
