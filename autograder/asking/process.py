"""The process behind the walls that runs a submission's cells, and hears what is asked of it.

A cell or call that kills it, or hangs, is not run again: a fresh fork takes its place without it.
"""

import contextlib
import math
import time
from collections.abc import Mapping, Sequence

from autograder.asking.answers import NO_ANSWER
from autograder.asking.blame import end_of, error_of, failure_in, not_reached, switched_off
from autograder.asking.proof import Proof
from autograder.asking.student import Cell, StudentError
from autograder.sandbox import wire
from autograder.sandbox.host import Fork, ForkEnded, ForkTooSlow, Server, ServerFailed

_START_SECONDS = 15.0
_ITS_WORD = 0.5  # seconds after its time, in which it may say in which loop that went


class Process:
    """One process at a time, in which the cells have been run."""

    def __init__(
        self,
        server: Server,
        cells: Sequence[Cell],
        modules: Mapping[str, str],
        banned: Sequence[str],
        banned_while: Mapping[str, Sequence[str]],
        wall_seconds: float | None,
    ) -> None:
        """As of RemoteStudent."""
        self._server = server
        self._cells = cells
        also = {name: list(each) for name, each in banned_while.items()}
        start = {"op": "start", "modules": dict(modules), "banned": list(banned), "banned_in": also}
        self._start = wire.encode(start, {})
        limit = server.limits.wall_seconds
        self._wall_seconds = limit if wall_seconds is None else min(limit, wall_seconds)
        self.call_seconds = server.limits.call_seconds  # for one cell or call
        self._deadline = math.inf  # until the first fork: a server may have to start
        self._life = contextlib.ExitStack()
        self._fork: Fork | None = None
        self._loaded: dict[int, object] = {}  # weights that the fork has, kept alive by it
        self._proof = Proof.of(banned)
        self._unguarded: StudentError | None = None  # once something was not noticed
        self._proven_again = False
        self._set_aside: set[str] = set()  # cells that ended the process
        self.cell_errors: dict[str, StudentError] = {}  # by cell

    def __exit__(self, *_: object) -> None:
        self._life.close()

    def run(self) -> None:
        """Run the cells, if that is not done: afterwards `cell_errors` is complete."""
        while self._fork is None:
            self._fork = self._life.enter_context(self._server.fork())
            self._loaded = {}
            if self._deadline == math.inf:
                self._deadline = time.monotonic() + self._wall_seconds
            self._fork.send(self._start)
            try:
                self._fork.receive(_START_SECONDS)
            except (ForkEnded, ForkTooSlow, wire.WireError) as error:
                # No line of the student's has run yet.
                raise ServerFailed(f"a fork did not start: {error!r}") from error
            with contextlib.suppress(StudentError):
                for cell in self._cells:
                    if cell.name not in self._set_aside:
                        self.run_cell(cell)
                self._prove()
            if self._unguarded and self._fork is None and not self._proven_again:
                # It ended meanwhile, as of a limit that was noticed late; it has answered nothing.
                self._unguarded, self._proven_again = None, True

    def _prove(self) -> None:
        if self._fork is None or time.monotonic() >= self._deadline:
            return
        stands, before = False, self._deadline
        self._deadline = time.monotonic() + 2 * self.call_seconds  # it is ours, not of their time
        with contextlib.suppress(StudentError, *NO_ANSWER):
            for frame in self._proof.frames():
                self.send(frame)
            self._receive("the first")
            stands = self._proof.holds(*self._receive("the second"))
        self._deadline = before
        if not stands:
            self._unguarded = switched_off()

    def run_cell(self, cell: Cell) -> None:
        """Run one cell, now, over those that were run. Raises StudentError when it dies of it."""
        self.send(wire.encode({"op": "cell", "name": cell.name, "source": cell.source}, {}))
        what = f"the cell {cell.name}"
        try:
            failure = failure_in(self._receive(what)[0])
        except StudentError as error:
            self.cell_errors[cell.name] = error
            self._set_aside.add(cell.name)
            raise
        if failure:
            self.cell_errors[cell.name] = error_of(failure, what, self.cell_errors.values())

    def send(self, frame: bytes) -> None:
        """Send something that is no question itself, to the process if there is one."""
        if self._fork is not None:
            self._fork.send(frame)

    def _receive(self, what: str) -> tuple[wire.Header, wire.Tensors]:
        """The next answer; raises StudentError when the process does not live to give it."""
        return self._read(what, self._hear(what))

    def _hear(self, what: str) -> wire.Frame:
        """The same, not yet read."""
        seconds = min(self.call_seconds, self._deadline - time.monotonic())
        if seconds <= 0:
            raise not_reached(what, self._server.limits.wall_seconds)
        assert self._fork is not None
        try:
            has_a_word = seconds >= self._server.limits.call_seconds  # when it begins to look
            return self._fork.hear(seconds + _ITS_WORD * has_a_word)
        except (ForkTooSlow, ForkEnded, wire.WireError) as end:
            error = self._lost(end, what, seconds)
        raise error

    def _read(self, what: str, frame: wire.Frame) -> tuple[wire.Header, wire.Tensors]:
        try:
            return self._fork.read(frame) if self._fork else frame.read()
        except (ForkTooSlow, wire.WireError) as end:
            error = self._lost(end, what, self.call_seconds)
        raise error

    def _lost(
        self, end: ForkTooSlow | ForkEnded | wire.WireError, what: str, seconds: float
    ) -> StudentError:
        self._fork = None
        return end_of(end, what, seconds, self._server.limits.output_bytes)
