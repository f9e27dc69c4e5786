"""What a check sees of a submission: names to call, tensors in, tensors out.

A submission runs behind the walls and may die at any moment; the reference runs here. Both
answer alike. What goes wrong in a submission is raised as StudentError with its verdict; what
goes wrong in the reference is raised as it is: that is a fault of the course.
"""

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.result import Verdict
from autograder.sandbox import wire
from autograder.sandbox.session import Answer, Failure, Session
from autograder.sandbox.walls import Fork, ForkEnded, ForkTooSlow, Outcome, Server


class StudentError(Exception):
    """A submission's own mistake: the verdict and the sentence about it."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True)
class Cell:
    """One cell to run. `solution`: it answers a stub, whose functions the items look at."""

    name: str
    source: str
    solution: bool = False


class Student(Protocol):
    """A notebook that has been run, and can be asked."""

    def get(self, name: str) -> Any:
        """The value of a name of the notebook."""

    def call(
        self,
        name: str,
        *args: Any,
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
        **kwargs: Any,
    ) -> Answer:
        """Call a function of the notebook; see Session.call for `cotangents`, `elsewhere`."""


class LocalStudent:
    """A notebook run in this very process: the reference. Its failures are raised as they are."""

    def __init__(self, cells: Sequence[Cell], modules: Mapping[str, str]) -> None:
        self._session = Session()
        for name, source in modules.items():
            self._session.module(name, source)
        for cell in cells:
            failure = self._session.cell(cell.name, cell.source)
            if failure:
                raise RuntimeError(f"the reference fails: {_told(failure)}")

    def get(self, name: str) -> Any:
        """The value of a name of the reference."""
        return self._right(self._session.get(name)).value

    def call(
        self,
        name: str,
        *args: Any,
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
        **kwargs: Any,
    ) -> Answer:
        """Call a function of the reference."""
        return self._right(self._session.call(name, args, kwargs, cotangents, elsewhere))

    @staticmethod
    def _right(answer: Answer) -> Answer:
        if answer.failure:
            raise RuntimeError(f"the reference fails: {_told(answer.failure)}")
        return answer


class RemoteStudent:
    """A submission behind the walls. Use as a context manager.

    A cell or call that kills the process, or hangs, is not run again: the rest is asked of a
    fresh fork without it, so that one bad cell costs only what depends on it.
    """

    def __init__(
        self,
        server: Server,
        cells: Sequence[Cell],
        *,
        modules: Mapping[str, str],
        banned: Sequence[str],
        banned_in: Mapping[str, str],
        defined_in: Mapping[str, str],
    ) -> None:
        """Nothing runs yet.

        banned: the calls to watch for; banned_in: names known to lead to one, and to which;
        defined_in: which solution cell is to define a name.
        """
        self._server = server
        self._cells = cells
        self._start = {"op": "start", "modules": dict(modules), "banned": list(banned)}
        self._banned_in = banned_in
        self._defined_in = defined_in
        self._deadline = time.monotonic() + server.limits.wall_seconds
        self._life = contextlib.ExitStack()
        self._fork: Fork | None = None
        self._gone: dict[str, StudentError] = {}  # names whose call ended the process
        self._set_aside: set[str] = set()  # cells that ended the process
        self.cell_errors: dict[str, StudentError] = {}  # by cell

    def __enter__(self) -> "RemoteStudent":
        return self

    def __exit__(self, *_: object) -> None:
        self._life.close()

    def run(self) -> None:
        """Run the cells, if that is not done: afterwards `cell_errors` is complete."""
        while self._fork is None:
            self._fork = fork = self._life.enter_context(self._server.fork())
            try:
                fork.request(self._start, {}, self._server.limits.call_seconds + 10)
            except (ForkEnded, ForkTooSlow, wire.WireError) as error:
                # No line of the student's has run yet.
                raise RuntimeError(f"a fork did not start: {error!r}") from error
            for cell in self._cells:
                if cell.name in self._set_aside:
                    continue
                request = {"op": "cell", "name": cell.name, "source": cell.source}
                try:
                    header, _ = self._ask(request, {}, f"the cell {cell.name}")
                except StudentError as error:
                    self.cell_errors[cell.name] = error
                    self._set_aside.add(cell.name)
                    break
                failure = _failure(header)
                if failure:
                    self.cell_errors[cell.name] = _error(failure, f"the cell {cell.name}")

    def get(self, name: str) -> Any:
        """The value of a name. Raises StudentError when there is none, or it cannot be had."""
        if name in self._banned_in:
            raise forbidden(name, self._banned_in[name])
        return self._answer({"op": "get", "name": name}, name, 0, wire.Packer(0)).value

    def call(
        self,
        name: str,
        *args: Any,
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
        **kwargs: Any,
    ) -> Answer:
        """Call a function. Raises StudentError when it raises, hangs, or ends the process."""
        if name in self._banned_in:
            raise forbidden(name, self._banned_in[name])
        packer = wire.Packer(self._server.limits.output_bytes)
        header = {
            "op": "call",
            "name": name,
            "args": [packer.pack(each) for each in args],
            "kwargs": {key: packer.pack(each) for key, each in kwargs.items()},
            "cotangents": None if cotangents is None else [packer.pack(c) for c in cotangents],
            "elsewhere": elsewhere,
        }
        return self._answer(header, name, len(args) + len(kwargs), packer)

    def _answer(self, header: wire.Header, name: str, inputs: int, packer: wire.Packer) -> Answer:
        if name in self._gone:
            raise self._gone[name]
        self.run()
        try:
            reply, tensors = self._ask(header, packer.tensors, name)
        except StudentError as error:
            self._gone[name] = error
            raise
        try:
            return self._read(reply, tensors, name, inputs)
        except (wire.WireError, KeyError, TypeError, ValueError) as error:
            raise StudentError(
                Verdict.ERROR, f"{name} sent an answer that is none: {error}"
            ) from error

    def _read(self, reply: wire.Header, tensors: wire.Tensors, name: str, inputs: int) -> Answer:
        failure = _failure(reply)
        banned = tuple(str(each) for each in reply.get("banned", ()))[:20]
        if banned:
            raise forbidden(name, banned[0])
        if failure is not None and failure.type == "Missing":
            raise self._missing(name)
        if failure is not None:
            raise _error(failure, name)
        changed = tuple(int(each) for each in reply["changed"])
        if any(not 0 <= each < inputs for each in changed):
            raise ValueError("it names inputs that were not given")
        gradients = tuple(wire.unpack(each, tensors) for each in reply["gradients"])
        return Answer(wire.unpack(reply["value"], tensors), gradients, changed)

    def _missing(self, name: str) -> StudentError:
        cell = self._defined_in.get(name)
        why = self.cell_errors.get(cell or "")
        if why is not None:
            return why
        return StudentError(Verdict.MISSING, f"{name} is not defined anywhere in the notebook.")

    def _ask(
        self, header: wire.Header, tensors: wire.Tensors, what: str
    ) -> tuple[wire.Header, wire.Tensors]:
        """One request; raises StudentError when the process does not survive it."""
        fork, limits = self._fork, self._server.limits
        assert fork is not None
        left = self._deadline - time.monotonic()
        if left <= 0:
            message = f"the submission took more than its {limits.wall_seconds:g} seconds in all"
            raise StudentError(Verdict.TIMEOUT, f"{message}; {what} was not reached.")
        try:
            return fork.request(header, tensors, min(limits.call_seconds, left))
        except ForkTooSlow:
            seconds = min(limits.call_seconds, left)
            hint = "Is there a loop that never ends, or one that could be a tensor operation?"
            error = StudentError(
                Verdict.TIMEOUT, f"{what} did not finish within {seconds:.3g} seconds. {hint}"
            )
        except ForkEnded as ended:
            error = _death(ended.outcome, what, limits.output_bytes)
        except wire.WireError as problem:
            error = StudentError(Verdict.ERROR, f"{what} sent an answer that is none: {problem}")
        self._fork = None
        raise error


def forbidden(name: str, banned: str) -> StudentError:
    """The submission leaves an item's work to torch."""
    return StudentError(
        Verdict.FORBIDDEN,
        f"{name} uses {banned}, which does the work that this item asks you to write.",
    )


def _failure(header: wire.Header) -> Failure | None:
    found = header.get("failure")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise wire.WireError("a failure that is not described")
    line = found.get("line")
    return Failure(
        str(found.get("type"))[:100],
        str(found.get("message"))[:1000],
        None if found.get("cell") is None else str(found["cell"])[:100],
        line if isinstance(line, int) else None,
        None if found.get("source") is None else str(found["source"])[:200],
    )


def _error(failure: Failure, what: str) -> StudentError:
    if failure.type == "NotImplementedError":
        return StudentError(Verdict.MISSING, f"{what} is still the stub (NotImplementedError).")
    if failure.type == "MemoryError":
        hint = "Which tensor is that large, and need it be?"
        return StudentError(Verdict.MEMORY, f"{what} asked for more memory than it may. {hint}")
    return StudentError(Verdict.ERROR, f"{what} raised {_told(failure)}")


def _told(failure: Failure) -> str:
    said = f"{failure.type}: {failure.message}" if failure.message else failure.type
    if failure.cell is not None and failure.line is not None:
        said += f"\n  in the cell {failure.cell}, line {failure.line}"
        if failure.source:
            said += f": {failure.source}"
    return said


def _death(outcome: Outcome, what: str, output_bytes: int) -> StudentError:
    if outcome.reason == "files":
        message = f"{what} wrote more than {output_bytes:,} bytes of files."
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
