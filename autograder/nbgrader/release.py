"""nbgrader's way to make a release: `nbgrader generate_assignment` and the formgrader's button."""

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbgrader.converters.base import NbGraderException

from autograder.checking import ChecksBroken
from autograder.course import ManifestError, UnknownIdError, known_secret, read_course
from autograder.release import ReleaseError, build

__all__ = ["Release"]


class Release(NotebookExporter):  # type: ignore[misc] # nbconvert ships no types
    """Does what `autograder release` does, and leaves nbgrader nothing to convert.

    nbgrader lists what lies in its source directory, which here is assignments/ itself: it would
    remove that folder, and then convert what it has removed.
    """

    def __init__(self, **kwargs: Any) -> None:
        """Build the release of the assignment that nbgrader was asked for."""
        super().__init__(**kwargs)
        coursedir = self.parent.coursedir
        root, name = Path(coursedir.root), coursedir.assignment_id
        try:
            built = build(read_course(root), name, known_secret(root))
        except (ManifestError, UnknownIdError, ChecksBroken, ReleaseError, OSError) as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        built.write(root / "assignments" / name)
        self.parent.assignments.clear()
