"""The public cases of a release: what the public checks asked of the reference, as JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from autograder.asking import Question
from autograder.checking import Agree, Asked, CheckOutcome, Weights
from autograder.course import Item
from autograder.diagnosis import Case, Inquiry, ladder, one_thread
from autograder.grading import Exam
from autograder.handout.checks.compare import describe_module
from autograder.release.mistakes import mistakes_of
from autograder.sandbox.modules import Blueprint

_EXAMPLES = 20  # of an item, about
_NO_PART = "forward", "state_dict"  # methods on which no other is built


@one_thread()
def recorded_cases(exam: Exam) -> str:
    """The text of cases.json."""
    recorder = _Recorder(exam)
    items: dict[str, dict[str, Any]] = {}
    known: dict[str, str] = {}
    for item in exam.assignment.items:
        ours = [each for each in exam.outcomes if each.item == item.id]
        shapes_only = item.visibility == "hidden"
        public = [(asked, each) for each in ours if each.public for asked in each.asked]
        cases = [recorder.case(asked, each, shapes_only) for asked, each in public]
        items[item.id] = {
            "title": item.title,
            "points": item.points,
            "tolerance": item.tolerance,
            "shapes_only": shapes_only,
            "sentences": list(dict.fromkeys(each.sentence for each in ours)),
            "cases": cases,
        }
        if after := _after(exam, item):
            items[item.id]["after"] = after
        if asks := next((each.notebook for each in ours if each.notebook), None):
            items[item.id]["asks"] = asks
        if exam.assignment.diagnose_in_notebook and not shapes_only:
            found = mistakes_of(exam, item, [asked for asked, _ in public], cases)
            items[item.id]["mistakes"] = {each.id: prints for each, prints in found.items()}
            known |= {each.id: each.said for each in found}
            items[item.id]["examples"] = recorder.examples(item, public)
    manual = [{"title": each.title, "points": each.points} for each in exam.assignment.manual]
    banned = {name: list(each) for name, each in exam.assignment.banned_in.items()}
    about = {"assignment": exam.assignment.id, "items": items, "manual": manual}
    about |= {"banned": list(exam.assignment.banned), "banned_in": banned}
    return as_text(about | {"mistakes": known})


def _after(exam: Exam, item: Item) -> list[str]:
    """The earlier items about parts that those of this item are built on.

    A module is built on those of its methods that an item asks by themselves.
    """
    asked = {
        each.id: [case.question for case in exam.bank.cases if case.item == each.id]
        for each in exam.assignment.items
    }
    names = {each: {question.name for question in questions} for each, questions in asked.items()}
    own = names[item.id]
    needs = {x for part in exam.bank.components if own & {*part.of} for x in part.needs} - own
    called = {each.name for each in asked[item.id] if _method(each) == "forward"}
    before = list(asked)[: list(asked).index(item.id)]
    parts = {each for each in before if names[each] & needs and not names[each] & own}
    parts |= {
        each
        for each in before
        if names[each] and names[each] <= called
        if all(_method(question) not in (None, *_NO_PART) for question in asked[each])
    }
    return [each for each in before if each in parts]


def _method(question: Question) -> str | None:
    return question.target.method if isinstance(question.target, Blueprint) else None


def as_text(cases: dict[str, Any]) -> str:
    """Recorded cases as the text of their file."""
    text = json.dumps(cases, indent=1)
    # A row of numbers on one line is easier to read, and to compare.
    return re.sub(r"\[\s+([^][{}]*?)\s+\]", _on_one_line, text) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r"\s*\n\s*", " ", found.group(1)) + "]"


class _Recorder:
    def __init__(self, exam: Exam) -> None:
        self._reference, self._parameters = exam.reference, exam.source.parameters
        self._weights = Weights(exam.reference, exam.secret, exam.assignment.id)
        self._agree = Agree(
            exam.reference, exam.reference, 1.0, exam.source.parameters, self._weights
        )

    def examples(
        self, item: Item, public: Sequence[tuple[Asked, CheckOutcome]]
    ) -> list[dict[str, Any]]:
        """Small cases of an item, in numbers that can be worked out by hand, the smallest first."""
        found = list[dict[str, Any]]()
        for asked, outcome in public:
            if len(found) >= _EXAMPLES:
                break
            case = Case(item.id, asked.question, asked.answer, item.tolerance, asked)
            asking = Inquiry(self._reference, self._reference, self._parameters)
            for rung in ladder(case, asking):
                small = replace(asked, question=rung.question, answer=rung.right, exact_zeros=False)
                recorded = self.case(small, outcome, shapes_only=False)
                found.append(recorded | {"weights": rung.weights})
        return found

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
            start = {name: _to_json(expected[name]) for name in asked.look_at}
            shapes = {name: list(each.shape) for name, each in expected.items()}
            return case | {"expected": shapes, "start": start}
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
            **({"mode_changed": asked.answer.mode_changed} if asked.same_mode else {}),
        }

    def _call(self, question: Question) -> dict[str, Any]:
        if question.how.before:
            raise ValueError(f"{question.name}: no public case can be asked after another call")
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
