"""A sample class in a copy of the course, so that grading can be seen without students."""

import shutil
from pathlib import Path

from autograder.course import Course, read_course
from autograder.proof import Sample, sample_class
from autograder.release import build

_MARK = ".autograder-demo"
_COPIED = ("course.yml", "nbgrader_config.py", "solutions")


class NotADemo(Exception):
    """The folder holds something else, which is not ours to replace."""


def set_up(course: Course, folder: Path) -> Course:
    """Copy the course to `folder`, in the place of an earlier demo only. Raises NotADemo."""
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARK).exists():
        raise NotADemo(f"{folder} exists and holds no demo: name another folder with --output")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / _MARK).touch()
    for name in _COPIED:
        source = course.root / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():  # only nbgrader itself needs its configuration
            shutil.copy(source, folder)
    return read_course(folder)


def fill(course: Course, assignment_id: str, samples_of: Course) -> list[Sample]:
    """Build the release and let the sample class hand in. Returns who handed in what."""
    build(course, assignment_id).write(course.root / "assignments" / assignment_id)
    samples = sample_class(samples_of, assignment_id)
    for sample in samples:
        sample.write(course.root / "submitted")
    return samples
