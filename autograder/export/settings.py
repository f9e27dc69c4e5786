"""nbgrader's own settings: where it keeps what, and what late work costs.

They stand in nbgrader_config.py, which nbgrader and the formgrader go by. So do we, or there would
be a second gradebook, and a second grade for late work.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_core.application import JupyterApp
from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Application, Config, ConfigFileNotFound

from autograder.course import (
    EXTENSIONS,
    MANIFEST,
    Extensions,
    Lateness,
    ManifestError,
    RosterError,
    read_course,
)
from autograder.export.late import LatePolicy

__all__ = ["CONFIG", "Settings", "SettingsError", "read_settings", "settings_of"]

CONFIG = "nbgrader_config.py"


class SettingsError(Exception):
    """What nbgrader goes by cannot be used; the message says what and why."""


@dataclass(frozen=True)
class Settings:
    """Where nbgrader keeps what of a course, and its policy for late work."""

    directory: Any  # nbgrader's CourseDirectory
    penalties: Any  # nbgrader's AssignLatePenalties, with its LateSubmissionPlugin or another

    @property
    def db_url(self) -> str:
        """Where the gradebook is."""
        return str(self.directory.db_url)

    def submitted(self, student: str, assignment_id: str) -> Path:
        """What a student handed in."""
        return self._path(self.directory.submitted_directory, student, assignment_id)

    def autograded(self, student: str, assignment_id: str) -> Path:
        """What the formgrader shows of it."""
        return self._path(self.directory.autograded_directory, student, assignment_id)

    def feedback(self, student: str, assignment_id: str) -> Path:
        """What the student gets back."""
        return self._path(self.directory.feedback_directory, student, assignment_id)

    @property
    def over_course(self) -> bool:
        """Whether what one submission costs depends on the student's others."""
        return isinstance(self._plugin, LatePolicy) and self._plugin.course.late_days > 0

    @property
    def extensions(self) -> Extensions:
        """The extensions of extensions.csv."""
        return self._plugin.extensions if isinstance(self._plugin, LatePolicy) else {}

    def lateness(self, submission: Any) -> Lateness | None:
        """How late a submission of the gradebook is, where course.yml says what that costs."""
        known = isinstance(self._plugin, LatePolicy)
        return self._plugin.lateness(submission) if known else None

    def penalty(self, gradebook: Any, notebook: Any) -> float | None:
        """What late work costs, in points; None if nothing. As nbgrader's AssignLatePenalties.

        notebook: a submitted one, of this open gradebook. Raises SettingsError when the plugin
        fails.
        """
        submission, student = notebook.assignment, notebook.student.id
        if submission.total_seconds_late <= 0:
            return None
        gradebook.db.refresh(notebook, ["score"])  # it is what it was when first asked for
        of = self.penalties
        of.gradebook, of.db_url, of.student_id = gradebook, self.db_url, student
        of.assignment_id, of.notebook_id = submission.name, notebook.name
        try:
            found = self._plugin.late_submission_penalty(
                student, notebook.score, submission.total_seconds_late
            )
        except Exception as error:  # it is anybody's code
            raise SettingsError(
                f"{type(self._plugin).__name__}, which reckons what late work costs ({CONFIG}: "
                f"AssignLatePenalties), raised {type(error).__name__} for {student}: {error}"
            ) from error
        return None if found is None else min(max(float(found), 0.0), notebook.score)

    @property
    def _plugin(self) -> Any:
        return self.penalties.plugin_inst

    def _path(self, step: str, student: str, assignment_id: str) -> Path:
        return Path(self.directory.format_path(step, student, assignment_id))


def read_settings(root: Path) -> Settings:
    """The settings of the course in `root`, as nbgrader would find them. Raises SettingsError."""
    app = NbGrader(raise_config_file_errors=True)
    try:
        with _importable(root):
            JupyterApp.load_config_file(app)  # what the machine's and the user's say
            with suppress(ConfigFileNotFound):
                Application.load_config_file(app, CONFIG, path=str(root))
            directory = CourseDirectory(config=app.config, root=str(root.resolve()))
            return settings_of(directory, app.config)
    except (ManifestError, RosterError, SettingsError):
        raise
    except Exception as error:  # a configuration is a program
        raise SettingsError(f"{root / CONFIG} cannot be read: {error}") from error


def settings_of(directory: Any, config: Config) -> Settings:
    """The settings of one of nbgrader's programs that runs already.

    Raises ManifestError for a wrong course.yml or extensions.csv, and SettingsError when they say
    what nobody looks at.
    """
    root = Path(directory.root)
    config = deepcopy(config)
    config.CourseDirectory.root = str(root)  # so that a plugin finds the course
    penalties = AssignLatePenalties(config=config)
    penalties.init_plugin()
    if not isinstance(penalties.plugin_inst, LatePolicy):
        _refuse_another_policy(root, penalties.plugin_class.__name__)
    return Settings(directory, penalties)


def _refuse_another_policy(root: Path, plugin: str) -> None:
    """Raise SettingsError when late work is spoken of where the plugin does not look."""
    course = read_course(root)
    policies = (course.late, *(each.late for each in course.assignments))
    said = [f"{MANIFEST}: late"] if any(policies) else []
    if (root / EXTENSIONS).exists():
        said.append(EXTENSIONS)
    if said:
        raise SettingsError(
            f"{said[0]} is not looked at: {CONFIG} leaves late work to {plugin}; write there "
            'c.AssignLatePenalties.plugin_class = "autograder.nbgrader.LatePolicy", or take '
            f"{said[0]} away"
        )


@contextmanager
def _importable(root: Path) -> Iterator[None]:
    """Let a configuration name a module that lies beside it, as nbgrader does."""
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))
