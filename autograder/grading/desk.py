"""What a worker of a cluster is sent, and what it makes of it: an exam, and a server of its own."""

import io
import os
import signal
import stat
import tempfile
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from autograder.course import MANIFEST, SOLUTIONS, Assignment, print_of, read_course
from autograder.grading.classroom import HandedIn, Room
from autograder.grading.exam import limits_of, prepare
from autograder.grading.origin import ARE_SAMPLES, origin_of
from autograder.grading.submission import grade
from autograder.notebooks import (
    UnreadableSubmission,
    find_submission,
    lie_beside,
    read_bounded,
    refuse_links,
)
from autograder.sandbox.folder import Folder
from autograder.sandbox.host import Server
from autograder.sandbox.walls import why_not

_MAX_BYTES = 8 << 20  # of a file that travels
_IDLE_SECONDS = 60.0  # after which a worker gives up its server: nobody may come again


class ClusterUnfit(Exception):
    """This cluster cannot grade; the message says what is to be done."""


@dataclass(frozen=True)
class Packed:
    """What an exam is made of, to be made again elsewhere."""

    files: bytes  # a zip of course.yml and the solutions without samples
    assignment: str
    secret: str
    wall: str
    parts: Mapping[str, str]  # what results come from; there it must be the same

    @classmethod
    def of(cls, room: Room, parts: Mapping[str, str]) -> "Packed":
        """A room's course, with what its results come from. Raises OSError."""
        root, packed = room.course.root, io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
            file.write(root / MANIFEST, MANIFEST)
            for path in sorted((root / SOLUTIONS).rglob("*")):
                within = path.relative_to(root)
                if path.is_file() and ARE_SAMPLES.isdisjoint(within.parts):
                    file.write(path, within)
        return cls(packed.getvalue(), room.assignment_id, room.secret, room.wall, dict(parts))

    @cached_property
    def key(self) -> str:
        """What tells it from others."""
        return print_of((self.files, self.assignment, repr(sorted(self.parts.items()))))


@dataclass(frozen=True)
class Parcel:
    """What grading looks at of a submission: no link, nothing long."""

    student: str
    folder: tuple[str, ...]  # the names of the student's folder and of the submission's
    named: bool  # whether it was handed in as a file, not as a folder
    files: Mapping[str, bytes]  # the notebook first
    others: tuple[str, ...]  # what else may be meant

    @classmethod
    def of(cls, one: HandedIn, assignment: Assignment) -> "Parcel | None":
        """None where it cannot travel."""
        try:
            path = find_submission(one.path, assignment.id)
            refuse_links(path.parent, assignment.handed_in)
            files = {path.name: read_bounded(path)}
            for beside in map(path.with_name, assignment.handed_in):
                if os.path.lexists(beside):
                    info = beside.lstat()
                    if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_BYTES:
                        return None
                    files[beside.name] = beside.read_bytes()
            folder = path.parent.parent.name, path.parent.name
            return cls(one.student, folder, path == one.path, files, lie_beside(path))
        except (UnreadableSubmission, OSError):
            return None

    def lay_out(self, root: Path) -> Path:
        """Put all of it below `root`; returns what was handed in."""
        folder = root.joinpath(*self.folder)
        for name in self.others:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return folder / next(iter(self.files)) if self.named else folder


class _Desk:
    """An exam and a server; of a worker, until it is idle or something else is graded."""

    def __init__(self, course: Packed) -> None:
        self.key = course.key
        self._folder = Folder()
        self._server: Server | None = None
        try:
            root = self._folder.path
            with zipfile.ZipFile(io.BytesIO(course.files)) as file:
                file.extractall(root)
            found = read_course(root)
            origin = origin_of(found, course.assignment, course.secret, course.wall)
            differ = [each for each in course.parts if origin.parts[each] != course.parts[each]]
            if differ:
                raise ClusterUnfit(
                    f"a worker in {Path(__file__).parents[1]} has other {' and '.join(differ)} "
                    f"than the grader ({origin.parts['libraries']}): install the same in all"
                )
            if course.wall != "none" and (reason := why_not(course.wall)):
                raise ClusterUnfit(f"{course.wall} does not stand where a worker is: {reason}")
            torch.set_num_threads(1)
            self._exam = prepare(found, course.assignment, course.secret)
            self._server = Server(course.wall, limits_of(self._exam.assignment))
        except BaseException:
            self.close()
            raise

    def grade(self, parcel: Parcel) -> bytes:
        assert self._server is not None
        with tempfile.TemporaryDirectory(dir=self._folder.path) as folder:
            handed_in = parcel.lay_out(Path(folder))
            result = grade(parcel.student, handed_in, self._exam, self._server)
        return result.model_dump_json().encode()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._folder.remove()


class _Worker:
    """The one desk of a process, however many threads it has."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._desk: _Desk | None = None
        self._idle: threading.Timer | None = None

    def grade(self, course: Packed, parcel: Parcel) -> bytes:
        with self._one_at_a_time:
            if self._idle is not None:
                self._idle.cancel()
            if self._desk is None or self._desk.key != course.key:
                self._leave()
                self._desk = _Desk(course)
            try:
                return self._desk.grade(parcel)
            finally:
                self._idle = threading.Timer(_IDLE_SECONDS, self._leave_if_free)
                self._idle.daemon = True
                self._idle.start()

    def _leave_if_free(self) -> None:
        if self._one_at_a_time.acquire(blocking=False):
            try:
                self._leave()
            finally:
                self._one_at_a_time.release()

    def _leave(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None


_WORKER = _Worker()


def grade_there(course: Packed, parcel: Parcel) -> bytes:
    """What a worker of the cluster is asked: the result, as JSON."""
    return _WORKER.grade(course, parcel)


def as_it_is(course: Packed) -> Packed:
    """The course, as the outcome of a task: workers get it from each other, or it is made again."""
    return course


def leave_signals_to_the_grader() -> None:
    """Do nothing at Ctrl-C, which reaches a whole terminal: who started this worker ends it."""
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.signal(each, lambda *_: None)
