"""The device that is not there, held against a real GPU: what is asked of every sample about
devices, of both. `python tests/on_a_gpu.py` on a machine that has one; nothing else needs it.

A difference is printed, and counts as a failure. Values are not compared: what is drawn at random
is drawn otherwise there.
"""

import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import torch

if not torch.cuda.is_available():
    sys.exit("torch finds no GPU here to compare with")
NAME = torch.cuda.get_device_name()  # before the kit is imported, which hides it

from devices import ALLOWED, NOT_FAKED, NOT_SEEN, REFUSED, result_of  # noqa: E402

from autograder.asking.student import Question  # noqa: E402
from autograder.course import read_course  # noqa: E402
from autograder.grading import prepare  # noqa: E402
from autograder.notebooks.submission import modules_for, read_submission  # noqa: E402
from autograder.proof.samples import read_samples  # noqa: E402
from autograder.sandbox import session  # noqa: E402
from autograder.sandbox.elsewhere import OTHER, AnotherDevice  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 20  # for a cell or a call: some samples have no end


class RealDevice(AbstractContextManager["RealDevice"]):
    """In the place of AnotherDevice: the GPU that is there."""

    def __init__(self, default: bool) -> None:
        self._default = default

    def has(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.is_cuda

    def taken(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().to(OTHER).requires_grad_(tensor.requires_grad)

    def __enter__(self) -> "RealDevice":
        if self._default:
            torch.set_default_device(OTHER)
        return self

    def __exit__(self, *_: object) -> None:
        torch.set_default_device(None)


def real_device_for(options: Mapping[str, Any]) -> RealDevice:
    return RealDevice(options.get("device", OTHER) is None)


class OutOfTime(BaseException):
    """The alarm went off."""


def stop(*_: object) -> None:
    raise OutOfTime


def answer(asked: session.Session, question: Question) -> str:
    """Where the outputs lie, or the exception's type; its words are those of torch's version."""
    own = question.copied()
    signal.alarm(SECONDS)
    try:
        found = asked.call(own.target, own.args, own.kwargs, own.how)
    except OutOfTime:
        return "no end"
    finally:
        signal.alarm(0)
    return found.failure.type if found.failure else str(found.elsewhere)


def run(cells: list[tuple[str, str]], modules: Mapping[str, str]) -> session.Session:
    made = session.Session()
    for name, source in modules.items():
        made.module(name, source)
    for name, source in cells:
        signal.alarm(SECONDS)
        try:
            made.cell(name, source)
        except OutOfTime:
            pass
        finally:
            signal.alarm(0)
    return made


def of_samples(name: str) -> Iterator[tuple[str, str, str]]:
    """Of each sample and question about devices: what it is, ours, the GPU's."""
    course = read_course(ROOT)
    exam = prepare(course, name, "a secret")
    questions: list[Question] = []
    for each in exam.foreseen:
        if each.how.elsewhere and not any(map(each.is_same, questions)):
            questions.append(each)
    for sample in read_samples(course, name):
        if sample.kind not in ("right", "wrong"):
            continue
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
            read = read_submission(sample.write(Path(folder)), exam.source)
            cells = [(each.name, each.source) for each in read.cells]
            ours, real = (run(cells, modules_for(exam.source)) for _ in range(2))
            for question in questions:
                left = answer(ours, question)
                with mock.patch.object(session, "device_for", real_device_for):
                    right = answer(real, question)
                yield f"{name}, {sample.name}: {question.name}", left, right


def of_tables() -> Iterator[tuple[str, str, str]]:
    """Of each line of the tables in devices.py."""
    for table in (ALLOWED, REFUSED, NOT_FAKED, NOT_SEEN):
        for code in table.values():
            with AnotherDevice() as device:
                result = result_of(code, device.taken)
                ours = str(None if result is None else device.has(result))
            result = result_of(code, lambda tensor: tensor.to(OTHER))
            yield code, ours, str(None if result is None else result.is_cuda)


def main() -> int:
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, stop)
    print(f"{NAME}, torch {torch.__version__}")
    counts: Counter[bool] = Counter()
    for name in sys.argv[1:] or ["tables", *(each.id for each in read_course(ROOT).assignments)]:
        for what, ours, real in of_tables() if name == "tables" else of_samples(name):
            counts[ours == real] += 1
            if ours != real:
                print(f"{what}: {ours} here, {real} on the GPU")
    print(f"{counts[True]} the same, {counts[False]} not")
    return bool(counts[False])


if __name__ == "__main__":
    sys.exit(main())
