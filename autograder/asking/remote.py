"""A submission behind the walls, as a check sees it; how it dies, in words for its student.

The checks of an assignment ask every submission the same questions, in the same order. So they
are known beforehand (the reference was asked them first), and a few are always on their way
while an answer is looked at: neither side waits for the other. An answer is used only for the
very question that it was given to.
"""

import contextlib
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from autograder.asking.answers import NO_ANSWER, read_answer
from autograder.asking.blame import (
    failure_in,
    forbidden,
    missing,
    no_answer,
    raise_what_it_tells,
)
from autograder.asking.process import Process
from autograder.asking.student import Cell, Question, StudentError
from autograder.asking.verbatim import Digests, Heard, Verbatim
from autograder.sandbox import wire
from autograder.sandbox.host import ForkEnded, ForkTooSlow, Server
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

# On their way at once: so few that they fit into the socket, whatever the other side does.
_AHEAD = 16
AHEAD_BYTES = 1 << 16
_KEPT_BYTES = 1 << 26  # of answers, in case a diagnosis asks for them again


class RemoteStudent(Process):
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
        foreseen: Sequence[Question] = (),
        banned_while: Mapping[str, Sequence[str]] | None = None,
        wall_seconds: float | None = None,
    ) -> None:
        """banned: the calls to watch for; banned_while: more of them, while a name is called;
        banned_in: names known to lead to one, and to which; defined_in: which solution cell is
        to define a name; foreseen: what will be asked, if nothing goes wrong;
        wall_seconds: for all of it, when that is less than the server's limit.
        """
        also = banned_while or {}
        super().__init__(server, cells, modules, banned, also, wall_seconds)
        self._banned = frozenset(banned).union(*also.values())
        self._banned_in = banned_in
        self._defined_in = defined_in
        self._foreseen = foreseen
        self._next = 0  # of the foreseen questions, the first not sent
        self._sent: deque[int] = deque()  # those on their way
        # Answers to foreseen questions, and frames that nobody had to read yet.
        self._kept: dict[int, Answer | StudentError | wire.Frame] = {}
        self._kept_bytes = 0
        self.verbatim = Verbatim()
        self._gone: dict[str, StudentError] = {}  # names whose call ended the process

    def __enter__(self) -> "RemoteStudent":
        return self

    def unguarded(self) -> StudentError | None:
        """To be asked last: whether all is still noticed, or what to say if not."""
        self._leave_waiting()
        self._skip_to(None)
        self._prove()
        return self._unguarded

    def get(self, name: str) -> Any:
        """The value of a name. Raises StudentError when there is none, or it cannot be had."""
        self.ready(name)
        self.send(wire.encode({"op": "get", "name": name}, {}))
        return self.answer(Question(name)).value

    def call(self, target: str | Blueprint, *args: Any, **options: Any) -> Answer:
        """Make a call. Raises StudentError when it raises, hangs, or ends the process."""
        question = Question.of(target, args, options)
        if (heard := self.verbatim.taken(question)) is not None:
            return self.answer(question, *heard)
        self._leave_waiting()
        at = self._turn_to(question)
        if at is None:
            self.put(question)
        return self.answer(question, at)

    def _leave_waiting(self) -> None:
        """Nobody asks any more for what has come."""
        for question, place, heard in self.verbatim.all_taken():
            with contextlib.suppress(StudentError):  # it is kept
                self.answer(question, place, heard)

    def _turn_to(self, question: Question) -> int | None:
        """Have its answer be the next to come, if it is one to come; and its place, then."""
        self._refuse(question.name)
        self.run()
        at = self._find(question)
        self._skip_to(at)
        self._refuse(question.name)  # by now its process may have died of it
        self.run()
        if at is not None:
            self._next = max(self._next, at) if self._sent else at
            self._send_ahead()
            self._sent.popleft()
        return at

    def repeats(self, questions: Sequence[Question], known: Collection[Digests]) -> Digests | None:
        """Ask these, if they are foreseen; returns what came, if to the last bit it is known.

        known: the digests of frames. Anything else waits until it is
        asked for: by the same questions in this order, up to the first that was answered otherwise.
        """
        self._leave_waiting()
        heard: Digests = ()
        for question in questions:
            if not any(each[: len(heard)] == heard for each in known):
                return None
            try:
                at = self._find(question)
                if at is None or self._turn_to(question) != at:
                    return None
            except StudentError:  # which comes again when it is asked
                return None
            try:
                frame = self._hear(question.name)
            except StudentError as error:
                self.verbatim.wait(question, at, error)
                return None
            self.verbatim.wait(question, at, frame)
            heard += (frame.digest,)
        if heard not in known:
            return None
        for _, at, each in self.verbatim.all_taken():
            if isinstance(each, wire.Frame):
                self._keep(at, each, len(each.body))
        return heard

    def answer_to(self, at: int) -> Answer:
        """The answer to a foreseen question, by its place; asked only if that was not done."""
        known = self._kept.get(at)
        if known is None:
            return self.ask(self._foreseen[at], at)
        if isinstance(known, StudentError):
            raise known.with_traceback(None)
        if isinstance(known, wire.Frame):
            return self.answer(self._foreseen[at], at, known)
        return known

    def ask(self, question: Question, at: int | None = None) -> Answer:
        """The answer to a question, asked now, whatever was asked before."""
        self.ready(question.name)
        self.put(question)
        return self.answer(question, at)

    def ready(self, name: str) -> None:
        """Have its process wait for a question about a name, and for nothing else."""
        self._leave_waiting()
        self._refuse(name)
        self.run()
        self._skip_to(None)
        self._refuse(name)  # by now the process may have died of what was skipped
        self.run()

    def _refuse(self, name: str) -> None:
        if self._unguarded:
            raise self._unguarded.with_traceback(None)
        if name in self._banned_in:
            raise forbidden(name, self._banned_in[name])
        if name in self._gone:
            raise self._gone[name].with_traceback(None)  # or it grows each time

    def _find(self, question: Question) -> int | None:
        """Where the question stands among those still to come."""
        start = self._sent[0] if self._sent else self._next
        for at in range(start, len(self._foreseen)):
            if self._foreseen[at].is_same(question):
                return at if at >= self._next or at in self._sent else None
        return None

    def _skip_to(self, at: int | None) -> None:
        """Take the answers that come before the one to `at`; nobody asks for them any more."""
        while self._sent and self._sent[0] != at:
            place = self._sent.popleft()
            self.verbatim.skip()
            with contextlib.suppress(StudentError):  # it is kept
                self.answer(self._foreseen[place], place)

    def _send_ahead(self) -> None:
        if self._next == len(self._foreseen) or len(self._sent) == _AHEAD:
            return
        waiting = sum(len(self._foreseen[at].frame) for at in self._sent)
        while self._next < len(self._foreseen) and len(self._sent) < _AHEAD:
            question = self._foreseen[self._next]
            if question.name not in self._gone and question.name not in self._banned_in:
                waiting += len(question.frame)
                lacks = any(id(each) not in self._loaded for each in question.weights)
                if self._sent and (waiting > AHEAD_BYTES or lacks):
                    return
                self.put(question)
                self._sent.append(self._next)
            self._next += 1

    def put(self, question: Question) -> None:
        """Send a question, after its weights."""
        self.put_weights(question)
        self.send(question.frame)

    def put_weights(self, question: Question) -> None:
        """Send the weights that a question needs and the process does not have."""
        for weights, frame in zip(question.weights, question.weight_frames, strict=True):
            if id(weights) not in self._loaded:
                self._loaded[id(weights)] = weights
                self.send(frame)

    def answer(
        self, question: Question, at: int | None = None, heard: Heard | None = None
    ) -> Answer:
        """Wait for the answer to a question that was put; raises as `call` does.

        at: its place, if it was foreseen; heard: what has come already.
        """
        name = question.name
        try:
            if isinstance(heard, StudentError):
                raise heard
            frame = heard or self._hear(name)
            self.verbatim.note(None if at is None else self._foreseen[at], frame)
            reply, tensors = self._read(name, frame)
        except StudentError as error:
            self._gone[name] = error
            raise
        try:
            failure = failure_in(reply)
            if failure and failure.type == "Missing":
                cell = self._defined_in.get(failure.message, "")
                raise self.cell_errors.get(cell, missing(failure.message))
            before = self.cell_errors.values()
            raise_what_it_tells(reply, tensors, question, self._banned, before)
            answer = read_answer(reply, tensors, question)
        except NO_ANSWER as error:
            raise no_answer(name, error) from error
        except StudentError as error:
            if at is not None:
                self._kept[at] = error
            raise
        if at is not None:
            self._keep(at, answer, sum(each.nbytes for each in tensors.values()))
        return answer

    def _keep(self, at: int, answer: Answer | wire.Frame, size: int) -> None:
        if self._kept_bytes + size <= _KEPT_BYTES:
            self._kept[at] = answer
            self._kept_bytes += size

    def _lost(
        self, end: ForkTooSlow | ForkEnded | wire.WireError, what: str, seconds: float
    ) -> StudentError:
        self._next = min(self._sent, default=self._next)  # lost with the process: to be sent again
        self._sent.clear()
        return super()._lost(end, what, seconds)
