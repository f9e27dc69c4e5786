"""nbgrader's own settings: where it keeps what, and what late work costs.

They stand in nbgrader_config.py, which nbgrader and the formgrader go by. So do we, or there would
be a second gradebook, and a second grade for late work.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jupyter_core.application import JupyterApp
from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc
from traitlets.config import Application, Config, ConfigFileNotFound

__all__ = ["CONFIG", "Settings", "SettingsError", "read_settings", "settings_of"]

CONFIG = "nbgrader_config.py"


class SettingsError(Exception):
    """What nbgrader goes by cannot be used; the message says what and why."""


@dataclass(frozen=True)
class Settings:
    """Where nbgrader keeps what of a course, and its policy for late work."""

    directory: Any  # nbgrader's CourseDirectory
    late: Any  # nbgrader's LateSubmissionPlugin, or the course's own

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

    def handed_in_at(self, folder: Path) -> datetime | None:
        """When a folder was handed in, in UTC without saying so, as nbgrader keeps it.

        None where it does not say. Raises SettingsError for what is no time.
        """
        path = folder / "timestamp.txt"
        try:
            text = path.read_text().strip() if path.is_file() and not path.is_symlink() else ""
            return parse_utc(text) if text else None
        except (ValueError, OverflowError) as error:
            raise SettingsError(
                f"{path} is no date and time, such as 2027-02-08 22:59:00 UTC ({error}): mend or "
                "remove it, then grade again"
            ) from error

    def penalty(self, student: str, score: float, seconds_late: float) -> float | None:
        """What late work costs, in points; None if nothing. As nbgrader's AssignLatePenalties.

        Raises SettingsError when the course's own plugin fails.
        """
        try:
            found = self.late.late_submission_penalty(student, score, seconds_late)
        except Exception as error:  # it is anybody's code
            raise SettingsError(
                f"{type(self.late).__name__}, which reckons what late work costs ({CONFIG}: "
                f"AssignLatePenalties), raised {type(error).__name__} for {student}: {error}"
            ) from error
        return None if found is None else min(max(float(found), 0.0), score)

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
    except Exception as error:  # a configuration is a program
        raise SettingsError(f"{root / CONFIG} cannot be read: {error}") from error


def settings_of(directory: Any, config: Config) -> Settings:
    """The settings of one of nbgrader's programs that runs already."""
    penalties = AssignLatePenalties(config=config)
    penalties.init_plugin()
    return Settings(directory, penalties.plugin_inst)


@contextmanager
def _importable(root: Path) -> Iterator[None]:
    """Let a configuration name a module that lies beside it, as nbgrader does."""
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))
