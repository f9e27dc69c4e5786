"""The grader attacked: every assignment's notebook with each of `attacks/` in it, behind a wall.

A file there is a cell, whose first line says what it does and whose name begins with its kind:
    cheat      points without an answer: put behind the untouched stubs
    escape     out of the walls: raises LOOT when it got out, and costs nothing when it did not
    deny       time, memory, space, words without end
    interfere  with the server, with who is graded next, with the grader
    corrupt    answers that cannot be read or computed with
Where it defines `strike`, that is called before each answer; where it defines `spoil`, each answer
is what that makes of it; all else runs in a cell in front of the right answers. `NAMES` are those
that the notebook is to define.
"""

import ast
import json
import multiprocessing
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any

import nbformat
import torch

from autograder.course import Course, Result, Verdict
from autograder.grading import Exam, grade, prepare
from autograder.proof.samples import answered, as_saved, handed_in_files
from autograder.release import notebook_of
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server

KINDS = ("cheat", "escape", "deny", "interfere", "corrupt")
_FOLDER = Path(__file__).with_name("attacks")
_MAY_COST = "# may cost points"
_LIMITS = Limits(12.0, 1.5, 256, 1, 4 << 20)
_MORE_SECONDS = 60.0  # than its limit may a submission take, on a busy machine
_AROUND = """

def _around(value):
    strike_first, spoil_then = globals().get("strike"), globals().get("spoil")

    def answer(call):
        def answered(*args, **kwargs):
            if strike_first:
                strike_first()
            value = call(*args, **kwargs)
            return spoil_then(value) if spoil_then else value

        return answered

    if isinstance(value, type):
        value.forward = answer(getattr(value, "forward", value.__call__))
        return value
    return answer(value) if callable(value) else value


globals().update({name: _around(globals()[name]) for name in NAMES})
"""


@dataclass(frozen=True)
class Attack:
    """One way to attack; `source` None: what it does to the bytes of the file instead."""

    kind: str
    name: str
    about: str
    source: str | None = None
    spoilt: Callable[[bytes], bytes] | None = None

    @property
    def may_cost(self) -> bool:
        """Whether it may lose points: nobody can help those who break their own answers."""
        return self.source is None or _MAY_COST in self.source

    @property
    def around(self) -> bool:
        """Whether it lies around each answer, so that it depends on the assignment."""
        tree = ast.parse(self.source or "")
        names = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        return bool(names & {"strike", "spoil"})


@dataclass(frozen=True)
class Found:
    """What came of an attack on an assignment. won: what it got, in words; None: nothing."""

    kind: str
    name: str
    assignment: str
    wall: str
    won: str | None


def attacks() -> list[Attack]:
    """All of them, by kind and name."""
    files = []
    for path in sorted(_FOLDER.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        kind, _, name = path.stem.partition("__")
        files.append(Attack(kind, name, source.partition("\n")[0].removeprefix("# "), source))
    bytes_ = [Attack("corrupt", name, about, spoilt=of) for name, (about, of) in _FILES.items()]
    return sorted([*files, *bytes_], key=lambda each: (KINDS.index(each.kind), each.name))


def needed(at: int) -> list[Attack]:
    """Those to try on the assignment at this place: what needs no answers is tried on the first."""
    return [
        each for each in attacks() if not at or each.around or each.kind in ("cheat", "corrupt")
    ]


def attack_all(course: Course, walls: Sequence[str], jobs: int) -> Iterator[Found | int]:
    """First how many there will be, then what came of each: on all assignments behind the first
    wall, on the first assignment behind the others. Raises what `prepare` raises.
    """
    ids = [each.id for each in course.assignments]
    places = [(at, id, walls[0]) for at, id in enumerate(ids)]
    places += [(0, ids[0], wall) for wall in walls[1:]]
    yield sum(len(needed(at)) for at, *_ in places)
    context = multiprocessing.get_context("spawn")
    told: SimpleQueue[Found | None] = context.SimpleQueue()
    with ProcessPoolExecutor(jobs, context, _hear, (told,)) as pool:
        # Those that take longest are the last of a course.
        ends = [pool.submit(_attack, course, *each) for each in reversed(places)]
        for each in ends:
            each.add_done_callback(lambda _: told.put(None))
        left = len(ends)
        while left:
            found = told.get()
            if found is None:
                left -= 1
            else:
                yield found
        for each in ends:
            each.result()


_told: "SimpleQueue[Found | None] | None" = None


def _hear(told: "SimpleQueue[Found | None]") -> None:
    global _told
    _told = told
    torch.set_num_threads(1)


def _attack(course: Course, at: int, assignment: str, wall: str) -> None:
    assert _told is not None
    with Range(course, assignment, wall) as place:
        for each in place.attacked(needed(at)):
            _told.put(each)


class Range:
    """Where an assignment is attacked: one server, on which an honest one is graded after each."""

    def __init__(self, course: Course, assignment: str, wall: str) -> None:
        """Raises what `prepare` raises."""
        self.assignment = assignment
        self._exam = _exam(course, assignment)
        self._server = Server(wall, _LIMITS)
        self._loot = f"LOOT {secrets.token_hex(4)}"
        self._stub = notebook_of(course, assignment)
        self._right = answered(course, assignment, self._stub)
        self._beside = handed_in_files(course, assignment)
        self._honest = as_saved(self._right)

    def __enter__(self) -> "Range":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def attacked(self, chosen: Iterable[Attack]) -> Iterator[Found]:
        """Each attack, and what came of it."""
        self._alone = self._graded_next()
        self._nothing = self._grade(self._stub, files=False).score or 0.0
        for attack in chosen:
            yield Found(
                attack.kind, attack.name, self.assignment, self._server.wall, self._won(attack)
            )

    def _won(self, attack: Attack) -> str | None:
        try:
            result = self._grade(self._with(attack), files=attack.kind != "cheat")
            after = self._graded_next()
        except Exception as error:
            return f"grading ended with {type(error).__name__}: {error}"
        if after != self._alone:
            return "who was graded next got something else than alone"
        return self._judged(attack, result)

    def _judged(self, attack: Attack, result: Result) -> str | None:
        if self._loot in result.model_dump_json():
            return "it got out"
        for item in result.items:
            if item.verdict is Verdict.INTERNAL:
                return f"{item.item} became internal: {item.message}"
        if result.seconds > _LIMITS.wall_seconds + _MORE_SECONDS:
            return f"it took {result.seconds:.0f} s"
        score = result.score or 0.0
        if attack.kind == "cheat" and score > self._nothing:
            return f"{score:g} points for no answer"
        lost = [item.item for item in result.items if item.verdict is not Verdict.PASSED]
        if not (attack.may_cost or attack.kind == "cheat") and lost:
            return f"what it did beside the answers cost {', '.join(lost)}"
        return None

    def _with(self, attack: Attack) -> bytes:
        if attack.spoilt:
            return attack.spoilt(self._honest)
        stub = nbformat.reads(self._stub.decode(), as_version=4)
        notebook = stub if attack.kind == "cheat" else deepcopy(self._right)
        head = f"NAMES = {sorted(self._exam.source.defined_in)!r}\n"
        head += f"LOOT = ' '.join({self._loot.split()!r})\n"  # not to be quoted with the line
        source = head + (attack.source or "") + (_AROUND if attack.around else "")
        cell = nbformat.v4.new_code_cell(source, id="attack")
        last = attack.kind == "cheat" or attack.around
        notebook.cells.insert(len(notebook.cells) if last else 0, cell)
        return as_saved(notebook)

    def _graded_next(self) -> dict[str, Any]:
        return self._grade(self._honest).model_dump(exclude={"seconds"})

    def _grade(self, data: bytes, *, files: bool = True) -> Result:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place, f"{self.assignment}.ipynb")
            path.write_bytes(data)
            for name, beside in self._beside.items() if files else ():
                path.with_name(name).write_bytes(beside)
            return grade("somebody", path, self._exam, self._server)


def _exam(course: Course, assignment: str) -> Exam:
    exam = prepare(course, assignment, secrets.token_hex())
    # Which line is wrong is not looked for: that takes seconds, and is no wall.
    return replace(exam, assignment=exam.assignment.model_copy(update={"locate": False}))


def _odd_cells(data: bytes) -> bytes:
    notebook = json.loads(data)
    odd: list[Any] = [None, [], "x", {"cell_type": []}, {"cell_type": "code", "source": {"a": 1}}]
    notebook["cells"] = [each for cell in notebook["cells"] for each in (cell, *odd)]
    notebook["metadata"] = [notebook["metadata"]]
    return json.dumps(notebook).encode()


_FILES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "file_cut_off": ("The file ends in its middle.", lambda data: data[: len(data) // 2]),
    "file_in_utf_16": (
        "The file is in another encoding.",
        lambda data: data.decode().encode("utf-16"),
    ),
    "file_nested_too_deep": (
        "A hundred thousand brackets.",
        lambda _: b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ),
    "file_of_nothing": ("Zeros, and nothing else.", lambda data: bytes(len(data))),
    "file_with_odd_cells": ("Between its cells lies what is none.", _odd_cells),
}
