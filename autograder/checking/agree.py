"""Asks the student and the reference the same, and holds the two answers together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import torch

from autograder.asking import Question, ReferenceFailed, Student, StudentError, told
from autograder.checking.asked import Asked, misplaced, too_little, too_much
from autograder.checking.described import Target, described, module_said
from autograder.checking.weights import Weights
from autograder.checking.wrong import Wrong
from autograder.course import Verdict
from autograder.handout.checks import compare
from autograder.handout.checks.problem import Problem
from autograder.sandbox import values
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import EARLIER, Answer

_GRADIENT = "the gradient of"


class Agree:
    """`agree(name, *args)`: the student's function gives what the reference gives.

    Raises Wrong with a sentence, and StudentError when the submission gives no answer at all.
    """

    def __init__(
        self,
        student: Student,
        reference: Student,
        tolerance: float,
        parameters: Mapping[str, list[str]],
        weights: Weights,
    ) -> None:
        self._student = student
        self._reference = reference
        self._tolerance = tolerance
        self._parameters = parameters
        self._weights = weights
        self.asked: list[Asked] = []
        self.notes: list[str] = []  # for the student; they cost nothing

    def module(self, name: str, *args: Any, **kwargs: Any) -> Blueprint:
        """A module to ask, in float64 and eval mode, with the same weights for both sides."""
        return self._weights.filled(Blueprint(name, args, kwargs))

    def value(self, name: str) -> torch.Tensor:
        """A value of the notebook's agrees; returns the student's."""
        expected = self._reference.get(name)
        self.asked.append(Asked("value", Question(name), Answer(expected)))
        got = self._student.get(name)
        # Numbers typed in: any floating dtype will do, and none excuses more than the tolerance.
        double = expected.double()
        same_kind = isinstance(got, torch.Tensor) and got.is_floating_point()
        got = got.double() if same_kind else got
        problem = compare.compare(got, double, self._tolerance, name)
        if problem:
            raise Wrong(problem)
        assert isinstance(got, torch.Tensor)  # or compare would have said so
        return got

    def __call__(
        self,
        target: Target,
        *args: Any,
        outputs: Sequence[str] = ("the result",),
        look_at: Sequence[str] | None = None,
        exact_zeros: bool = False,
        cotangents: Sequence[Any] | None = None,
        by: Collection[int] | None = None,
        same_mode: bool = True,
        most_work: float | None = None,
        unchanged: bool = False,
        **options: Any,
    ) -> Answer:
        """A call agrees; returns the student's answer.

        target: a function's name, or a module; so may be arguments. outputs: names of what is
        returned; look_at: those, and those of `read`, that are compared (None: all);
        exact_zeros: where the reference gives 0, only 0 will do; cotangents: compare the
        gradients of sum(output * cotangent) by every floating argument, or those in the places
        `by`, and by every weight of the modules, too; same_mode: modules are left in the mode in
        which the reference leaves them; most_work: the multiplications that it may take, as a
        multiple of the reference's; unchanged: inputs are left as they are. options: the other
        fields of How, and keyword arguments.
        """
        if cotangents is not None:
            given = [each for at, each in enumerate(args) if by is None or at in by]
            wanting = {id(each): _asking_for_gradient(each) for each in given}
            args = tuple(wanting.get(id(each), each) for each in args)
        options |= {"cotangents": cotangents, "work": most_work is not None}
        question = Question.of(target, args, options)
        expected = self._reference.call(target, *args, **options)
        read = list(question.how.read)
        look_at = [*outputs, *read] if look_at is None else list(look_at)
        asked = Asked(
            *("call", question.copied(), expected, outputs, look_at, exact_zeros),
            same_mode=same_mode,
            most_work=None if most_work is None else int(most_work * expected.multiplications),
            unchanged=unchanged,
        )
        self.asked.append(asked)
        got = self._ask(target, *args, **options)
        how: dict[str, Any] = {"exact_zeros": exact_zeros}
        problem = compare.compare_outputs(
            got.value, expected.value, self._tolerance, names=list(outputs), look_at=look_at, **how
        )
        pairs = [
            (f"self.{name}", *each)
            for name, *each in zip(read, got.read, expected.read, strict=False)
            if name in look_at
        ]
        gradients = self.gradients_of(question), got.gradients, expected.gradients
        pairs += [(f"{_GRADIENT} {name}", *each) for name, *each in zip(*gradients, strict=False)]
        for name, one, other in pairs:
            if problem is None and one is None and other is not None:
                none = Problem(f"{name} is None", "type")
                problem = compare.NO_GRADIENT if name.startswith(_GRADIENT) else none
            if problem is None:
                problem = compare.compare(one, other, self._tolerance, name, **how)
                if problem and name.startswith(_GRADIENT):
                    problem = problem.of_gradient
        places = zip(outputs, got.elsewhere, expected.elsewhere, strict=False)
        astray = [misplaced(name, there) for name, there, right in places if there != right]
        problem = problem or next(iter(astray), None)
        if problem is None and same_mode and got.mode_changed != expected.mode_changed:
            said = "a module is left in another mode (train or eval) than it came in"
            problem = Problem(said, "mode")
        if problem is None and EARLIER in got.changed:
            problem = Problem("it changes what an earlier call gave or left", "earlier")
        if problem is None and too_much(asked, got):
            came = f"{got.multiplications:,} multiplications, and {asked.most_work:,} are enough"
            self.wrong(target, f"its products of matrices take {came}", *args, **options)
        if problem is None and too_little(asked, got):
            came = f"{got.multiplications:,} multiplications: with so few it cannot be done"
            self.wrong(target, f"its products of matrices take {came}", *args, **options)
        if problem is None and unchanged:
            problem = self._written(target, got, options)
        if problem:
            self.wrong(target, problem, *args, **options)
        return got

    def _ask(self, target: Target, *args: Any, **options: Any) -> Answer:
        """The student's answer; an exception is told with the call that raised it."""
        try:
            return self._student.call(target, *args, **options)
        except StudentError as error:
            failure = error.failure
            if failure is None or error.verdict is not Verdict.ERROR:
                raise
            if failure.cell is not None and failure.function is None:
                raise  # the cell itself failed, before anything could be called
            called = described(target, self.parameters_of(target), args, options)
            message = f"{called} raised {told(failure)}"
            raise StudentError(error.verdict, message, failure) from error

    def gradients_of(self, question: Question) -> list[str]:
        """What the gradients in an answer are of, in their order."""
        if question.how.cotangents is None:
            return []
        inputs = [*question.args, *question.kwargs.values()]
        names = compare.called_names(self.parameters_of(question.target), dict(question.kwargs))
        wanted = [
            name
            for name, each in zip(names, inputs, strict=False)
            if isinstance(each, torch.Tensor) and each.requires_grad
        ]
        return wanted + [name for weights in question.weights for name in weights]

    def unchanged(self, target: Target, *args: Any, **options: Any) -> None:
        """The student's function writes to none of its inputs."""
        if problem := self._written(target, self._ask(target, *args, **options), options):
            self.wrong(target, str(problem), *args, **options)  # a hint of its own fits it

    def _written(self, target: Target, answer: Answer, options: dict[str, Any]) -> Problem | None:
        """That an input was written to, if one was."""
        if not answer.changed:
            return None
        names = compare.called_names(self.parameters_of(target), options)
        return Problem(f"it changes its input {names[answer.changed[0]]}", "input")

    def parameters(
        self, module: Blueprint, after: tuple[Any, ...] = (), start: Sequence[str] = ()
    ) -> None:
        """The module has the parameters that it must have, by name and shape, each its own.

        after: the arguments of a call, after which they must be those that it was made with.
        start: names of some whose numbers are looked at in a new one.
        """
        made = module.without_loading().of("state_dict")
        options = {"before": dict(enumerate(after))}
        expected = self._reference.call(made, **options)
        self.asked.append(Asked("parameters", Question.of(made, (), options), expected, (), start))
        name = module_said(module) + (", after a call" if after else "")
        ours = _shapes(self._student.call(made).value if after else expected.value)
        found = self._student.call(made, **options).value
        right = {each: expected.value[each] for each in start}
        problem = compare.differences(_shapes(found), ours)
        if problem := problem or compare.compare_start(found, right, self._tolerance):
            raise Wrong(f"{name}: {problem}")
        if after:  # what is loaded into them is asked of itself
            return
        loaded = self._student.call(module.of("state_dict")).value
        kept = loaded if isinstance(loaded, dict) else {}
        for key, weights in (module.weights or {}).items():
            if compare.compare(kept.get(key), weights, self._tolerance, key):
                said = "does not keep the values that are loaded into it"
                raise Wrong(f"{name}: {key} {said}: do two names stand for one parameter?")

    def raises(
        self,
        error: type[Exception],
        target: Target,
        *args: Any,
        naming: tuple[Any, ...] = (),
        unlike: tuple[Any, ...] = (),
    ) -> None:
        """Making the module, or the call, raises `error`, or a kind of it, and names `naming`.

        unlike: other arguments, with which it is not refused likewise: who refuses all has looked
        at nothing.
        """
        said, expected = f"expected a {error.__name__}", None
        try:
            self._reference.call(target, *args)
        except ReferenceFailed as failed:
            expected = failed.failure
        if expected is None or expected.type != error.__name__:
            raise RuntimeError(f"the reference does not raise {error.__name__}")
        asked = Question.of(target, args, {}), Answer(None)
        self.asked.append(Asked("raises", *asked, error=error.__name__, naming=naming))
        try:
            self._student.call(target, *args)
        except (StudentError, ReferenceFailed) as raised:  # the reference, when it rehearses
            if (failure := raised.failure) is None:
                raise
            if failure.type != error.__name__:
                self.wrong(target, f"{said}, got {told(failure)}", *args)
            if lost := [str(each) for each in naming if str(each) not in failure.message]:
                lacks = f"message of its {failure.type} lacks {' and '.join(lost)}"
                called = described(target, self.parameters_of(target), args, {})
                unsaid = replace(failure, message=f"The {lacks}.")
                raise Wrong(f"{called}: the {lacks}: {failure.message}", unsaid) from raised
            if unlike and self._is_refused(target, unlike, failure):
                self.wrong(
                    target, f"the same {failure.type} is raised here, where all is well", *unlike
                )
        else:
            self.wrong(target, f"{said}, got none", *args)

    def _is_refused(self, target: Target, args: Sequence[Any], like: Failure) -> bool:
        """Whether this call is refused likewise."""
        try:
            self._student.call(target, *args, count=True)  # of which no mistake is asked
        except (StudentError, ReferenceFailed) as raised:
            return raised.failure is not None and raised.failure.refuses_like(like)
        return False

    def operations(
        self, target: Target, few: Sequence[Any], many: Sequence[Any], grows_with: str
    ) -> None:
        """Note it, without cost, when the number of calls of torch grows with the inputs."""
        ask = partial(self._student.call, target, count=True)
        less, more = ask(*few).operations, ask(*many).operations
        # What is kept of an earlier call is not made again.
        if more > less and (more := ask(*many).operations) > less:
            self.notes.append(
                f"{module_said(target)} calls torch {less} times for a small input and {more} "
                f"times for a larger one: the number grows with {grows_with}. It cost nothing; "
                "could one operation on whole tensors take the place of a loop?"
            )

    def wrong(self, target: Target, problem: str, *args: Any, **options: Any) -> NoReturn:
        """Raise Wrong about one call."""
        said = described(target, self.parameters_of(target), args, options)
        raise Wrong(problem.of(said) if isinstance(problem, Problem) else f"{said}: {problem}")

    def parameters_of(self, target: Target) -> list[str]:
        """The names of what is passed to a function or method."""
        name = target if isinstance(target, str) else f"{target.name}.{target.method}"
        return self._parameters.get(name, [])


def _shapes(found: Any) -> dict[str, tuple[int, ...]]:
    """Of a state dict, whatever the student's module says it is."""
    if not isinstance(found, dict) or not all(map(torch.is_tensor, found.values())):
        came = f": {found}" if isinstance(found, values.Odd) else ""
        raise Wrong(Problem(f"its state_dict() is not a dict of some tensors{came}", "type"))
    return {str(key): tuple(each.shape) for key, each in found.items()}


def _asking_for_gradient(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().requires_grad_()
    return value
