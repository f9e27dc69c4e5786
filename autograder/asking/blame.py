"""What went wrong in a submission, as a verdict and a sentence for its student."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from autograder.asking.student import Question, StudentError, told
from autograder.course import Verdict
from autograder.handout.checks.banned import not_allowed
from autograder.handout.checks.compare import differences
from autograder.sandbox import values, wire
from autograder.sandbox.failure import Failure
from autograder.sandbox.host import ForkEnded, ForkTooSlow, Outcome
from autograder.sandbox.modules import Blueprint

PASTED = "a part that another assignment is given"  # in the place of a banned call's name
_MAX_LINE = 1_000_000
_IMPORT = ("ImportError", "ModuleNotFoundError")


class TookTooLong(StudentError):
    """The time for a cell or a call was over, in a loop of the student's; `loop` is its line."""

    def __init__(self, loop: Failure) -> None:
        super().__init__(Verdict.TIMEOUT, told(replace(loop, type=loop.message, message="")))
        self.loop = loop


def forbidden(name: str, banned: str) -> StudentError:
    """The submission leaves an item's work to torch, or to a part that was handed out."""
    if banned == PASTED:
        said = f"{name} is, or uses, {PASTED}: here it is asked for, so write your own."
        return StudentError(Verdict.FORBIDDEN, said)
    return StudentError(Verdict.FORBIDDEN, not_allowed(name, banned))


def switched_off() -> StudentError:
    """Of a call of ours not all was told that there is to tell."""
    return StudentError(
        Verdict.FORBIDDEN,
        "The submission has switched off what notices what its functions do (calls that this "
        "assignment does not allow, inputs written to, modes left): a call of the grader's own, "
        "made to try it, was not noticed.",
    )


def missing(name: str) -> StudentError:
    """There is no such name."""
    return StudentError(Verdict.MISSING, f"{name} is not defined anywhere in the notebook.")


def not_reached(what: str, seconds: float) -> StudentError:
    """The submission's time was over before it came to this."""
    message = f"the submission took more than its {seconds:g} seconds in all"
    return StudentError(Verdict.TIMEOUT, f"{message}; {what} was not reached.")


def no_answer(what: str, problem: Exception) -> StudentError:
    """What came back is not an answer."""
    said = wire.text(str(problem), 300)  # it may quote what was sent
    return StudentError(Verdict.ERROR, f"{what} sent an answer that is none: {said}")


def raise_what_it_tells(
    reply: wire.Header,
    tensors: wire.Tensors,
    question: Question,
    banned: Collection[str],
    before: Iterable[StudentError],
) -> None:
    """Raise the error that a reply to a question tells of: a banned call, or an exception.

    before: the errors of cells. Raises what reading a false answer does, too.
    """
    failure = failure_in(reply)
    for each in reply.get("banned", ()):
        if each not in banned:
            raise ValueError("it names a banned call that is none")
        raise forbidden(question.name, each)
    if failure is not None and failure.type == "WrongParameters":
        raise wrong_parameters(values.unpack(reply["value"], tensors), question, failure.message)
    if failure is not None:
        raise error_of(failure, question.name, before)


def failure_in(header: wire.Header) -> Failure | None:
    """The exception that a reply tells of, cut and made fit to be shown."""
    return _failure(header.get("failure"))


def _failure(found: object) -> Failure | None:
    if found is None:
        return None
    if not isinstance(found, dict):
        return Failure("a failure that it does not describe", "")
    line = found.get("line")
    return Failure(
        wire.text(found.get("type"), 100),
        wire.text(found.get("message"), 1000),
        None if found.get("cell") is None else wire.text(found["cell"], 100),
        line if type(line) is int and 0 < line <= _MAX_LINE else None,
        None if found.get("source") is None else wire.text(found["source"], 200),
        None if found.get("function") is None else wire.text(found["function"], 100),
    )


def error_of(failure: Failure, what: str, before: Iterable[StudentError] = ()) -> StudentError:
    """The exception of a cell or call; before: those of cells, one of which may be its reason."""
    if failure.type == "NotImplementedError" and not failure.message:  # torch raises it with words
        stub = failure.function or what  # which may be what the call itself calls
        return StudentError(Verdict.MISSING, f"{stub} is still the stub (NotImplementedError).")
    if failure.type == "MemoryError":
        hint = "Which tensor is that large, and need it be?"
        return StudentError(Verdict.MEMORY, f"{what} asked for more memory than it may. {hint}")
    name = re.search(r"'(\w+)'", failure.message) if failure.type == "NameError" else None
    for each in (error.failure for error in before if is_import(error)):
        if name and each and re.search(rf"\b{name[1]}\b", each.source or ""):
            why = f"its import failed in the cell {each.cell}: {each.message}"
            failure = replace(failure, message=f"{failure.message}: {why}")
    return StudentError(Verdict.ERROR, f"{what} raised {told(failure)}", failure)


def is_import(error: StudentError) -> bool:
    """Whether a cell failed because something that it imports is not there."""
    return error.failure is not None and error.failure.type in _IMPORT


def wrong_parameters(theirs: Any, question: Question, name: str) -> StudentError:
    """A module has not the parameters that were to be loaded; `theirs` are its shapes.

    Raises ValueError where these are none.
    """
    parts = (question.target, *question.args, *question.kwargs.values())
    (ours, *_) = (each for each in parts if isinstance(each, Blueprint) and each.name == name)
    expected = {key: tuple(each.shape) for key, each in (ours.weights or {}).items()}
    if isinstance(theirs, values.Odd):
        return StudentError(Verdict.WRONG, f"the parameters of {name} are not those: {theirs}")
    if not isinstance(theirs, dict):
        raise ValueError("it tells of parameters without shapes")
    got = {wire.text(key, 200): _shape(each) for key, each in theirs.items()}
    problem = differences(got, expected) or "they change from look to look"
    message = f"The parameters of {name} are not those that it must have: {problem}"
    return StudentError(Verdict.WRONG, message, shapes=got)


def _shape(found: Any) -> tuple[int, ...]:
    """A shape that somebody tells of. Raises ValueError where it is none."""
    numbers = found if type(found) in (tuple, list) else [None]
    if len(numbers) > wire.MAX_AXES or any(type(each) is not int for each in numbers):
        raise ValueError("it tells of shapes that are none")
    return tuple(numbers)


def end_of(
    end: ForkTooSlow | ForkEnded | wire.WireError, what: str, seconds: float, output_bytes: int
) -> StudentError:
    """Why there is no answer, and will be none."""
    if isinstance(end, ForkTooSlow):
        said = f"{what} did not finish within {seconds:.3g} seconds."
        if (loop := _failure(end.loop)) and loop.line is not None:
            return TookTooLong(replace(loop, message=f"{said} It was still in this loop."))
        hint = "Is there a loop that never ends, or one that could be a tensor operation?"
        return StudentError(Verdict.TIMEOUT, f"{said} {hint}")
    if isinstance(end, ForkEnded):
        return _death(end.outcome, what, output_bytes)
    return no_answer(what, end)


def _death(outcome: Outcome, what: str, output_bytes: int) -> StudentError:
    """The end of the whole process."""
    if outcome.reason == "files":
        message = f"{what} wrote more than {output_bytes:,} bytes of files, or too many of them."
        return StudentError(Verdict.ERROR, message)
    if outcome.reason == "killed":
        message = f"{what} hung up on the grader and went on running."
        return StudentError(Verdict.ERROR, message)
    if outcome.signal == 24:  # SIGXCPU
        return StudentError(Verdict.TIMEOUT, f"{what} used up its processor time.")
    if outcome.signal is not None:
        name = {11: "a segmentation fault", 6: "an abort", 9: "being killed"}.get(outcome.signal)
        how = name or f"signal {outcome.signal}"
        message = f"{what} ended the whole process by {how}."
        return StudentError(Verdict.ERROR, message)
    message = f"{what} ended the whole process with exit status {outcome.exit}."
    return StudentError(Verdict.ERROR, f"{message} A notebook should not exit.")
