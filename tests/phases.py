"""Where a submission's time goes, by phase: its share of one process that grades a sample class.

Each moment belongs to one phase: a call that a check waits for is no time of the check's, and what
a diagnosis asks is the diagnosis's.
"""

import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from unittest import mock

import torch

from autograder.asking.remote import RemoteStudent
from autograder.checking.runner import Runner
from autograder.course import Result, read_course
from autograder.diagnosis.bank import Bank
from autograder.export import publish, read_settings
from autograder.grading import HandedIn, Room, limits_of, origin, prepare, submission
from autograder.grading.explaining import Explaining
from autograder.proof import read_samples
from autograder.sandbox.host import Fork, Server

ROOT = Path(__file__).resolve().parents[1]
EXPORT = sys.modules["autograder.export.publish"]
# What is a phase's own, by where it is looked up.
PHASES = {
    "reading": [(origin, "_submission"), (submission, "read_submission")],
    "fork": [(Server, "fork"), (Server, "end_fork")],
    "cells": [(RemoteStudent, "run")],
    "checks": [(Runner, "__call__")],
    "calls": [(Fork, "send"), (Fork, "receive")],
    "diagnosis": [(Bank, "ask"), (Explaining, "explain")],
    "result": [(Result, "write")],
    "notebooks": [(EXPORT, "write_autograded")],
    "gradebook": [(EXPORT, each) for each in ("record", "standings", "says", "ready", "back_up")],
    "pages": [(EXPORT, "write_feedback"), (EXPORT, "write_class_page"), (EXPORT, "read_in_brief")],
}
GO_ON = {"cells", "diagnosis"}  # what they wait for is theirs


class Clock:
    """Which phase has been on for how many seconds."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._on = ["rest"]
        self.start()

    def start(self) -> None:
        self.seconds.clear()
        self._since = time.perf_counter()

    def stop(self) -> None:
        self._turn()

    def _turn(self) -> None:
        now = time.perf_counter()
        self.seconds[self._on[-1]] += now - self._since
        self._since = now

    def times(self, phase, function):
        @wraps(function)
        def timed(*args, **kwargs):
            self._turn()
            self._on.append(self._on[-1] if self._on[-1] in GO_ON else phase)
            try:
                return function(*args, **kwargs)
            finally:
                self._turn()
                self._on.pop()

        return timed


def phases(wall: str, name: str, secret: str, kind: str, most: int | None = None) -> None:
    """Grade the right or the wrong samples of an assignment here, and print each share.

    most: how many of them; all by default.
    """
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root = Path(folder)
        for each in ("course.yml", "nbgrader_config.py"):
            shutil.copy(ROOT / each, root)
        for each in ("solutions", "assignments"):
            shutil.copytree(ROOT / each, root / each)
        course = read_course(root)
        samples = [each for each in read_samples(course, name) if each.kind == kind][:most]
        for each in samples:
            each.write(root / "submitted")
        room = Room(course, name, root / "results", wall, secret)
        exam, settings = prepare(course, name, secret), read_settings(root)
        class_ = [HandedIn(each.name, root / "submitted" / each.name / name) for each in samples]
        server = stack.enter_context(Server(wall, limits_of(exam.assignment)))
        room.origin.grade(class_[0].student, class_[0].path, exam, server)  # it starts the server
        clock = Clock()
        for phase, those in PHASES.items():
            for owner, attribute in those:
                timed = clock.times(phase, getattr(owner, attribute))
                stack.enter_context(mock.patch.object(owner, attribute, timed))
        clock.start()
        for each in class_:
            result = room.origin.grade(each.student, each.path, exam, server)
            result.write(room.result_path(each.student))
        submitted = {each.student: each.path for each in class_}
        publish(course, exam.assignment, room.results, submitted, settings)
        clock.stop()
    each_ms = {phase: clock.seconds[phase] * 1e3 / len(class_) for phase in (*PHASES, "rest")}
    told = ", ".join(f"{phase} {ms:.1f}" for phase, ms in each_ms.items())
    print(
        f"{name}: {sum(each_ms.values()):.0f} ms a submission ({len(class_)} {kind} ones): {told}"
    )
