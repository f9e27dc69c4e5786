"""Results to where people look: the gradebook, the formgrader, feedback pages, the class page."""

from autograder.export.cards import as_text, cards_of, evidence, line, told_in
from autograder.export.cells import GradebookOutOfReach, read_release
from autograder.export.gradebook import GradebookError, HandedIn, record
from autograder.export.page import write_page
from autograder.export.publish import Published, publish, write_pages
from autograder.export.rebuilt import read_cells, rebuild
from autograder.export.settings import Settings, SettingsError, read_settings, settings_of
from autograder.export.verdicts import unanswered, write_verdicts

__all__ = [
    "GradebookError",
    "GradebookOutOfReach",
    "HandedIn",
    "Published",
    "Settings",
    "SettingsError",
    "as_text",
    "cards_of",
    "evidence",
    "line",
    "publish",
    "read_cells",
    "read_release",
    "read_settings",
    "rebuild",
    "record",
    "settings_of",
    "told_in",
    "unanswered",
    "write_page",
    "write_pages",
    "write_verdicts",
]
