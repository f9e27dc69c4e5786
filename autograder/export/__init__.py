"""Results to where people look: the gradebook, the formgrader, feedback pages, the class page."""

from autograder.export.backup import back_up, foresee, ready
from autograder.export.cards import as_text, cards_of, evidence, line, told_in
from autograder.export.cells import read_release
from autograder.export.foreseen import foreseen
from autograder.export.formats import (
    FORMATS,
    Format,
    Gathered,
    NothingGraded,
    NotThatSheet,
    State,
    at_once,
    gather,
    packed,
)
from autograder.export.gradebook import HandedIn, record, settle
from autograder.export.index import lies_behind, write_index
from autograder.export.late import LatePolicy
from autograder.export.named import enter_names
from autograder.export.opening import GradebookError, GradebookOutOfReach
from autograder.export.page import fill, write_page
from autograder.export.publish import Published, outdated_of_time, publish, write_pages
from autograder.export.rebuilt import read_cells, rebuild
from autograder.export.settings import Settings, SettingsError, read_settings, settings_of
from autograder.export.times import TIMESTAMP, hand_in_time
from autograder.export.verdicts import unanswered, write_verdicts

__all__ = [
    "FORMATS",
    "TIMESTAMP",
    "Format",
    "Gathered",
    "GradebookError",
    "GradebookOutOfReach",
    "HandedIn",
    "LatePolicy",
    "NotThatSheet",
    "NothingGraded",
    "Published",
    "Settings",
    "SettingsError",
    "State",
    "as_text",
    "at_once",
    "back_up",
    "cards_of",
    "enter_names",
    "evidence",
    "fill",
    "foresee",
    "foreseen",
    "gather",
    "hand_in_time",
    "lies_behind",
    "line",
    "outdated_of_time",
    "packed",
    "publish",
    "read_cells",
    "read_release",
    "read_settings",
    "ready",
    "rebuild",
    "record",
    "settings_of",
    "settle",
    "told_in",
    "unanswered",
    "write_index",
    "write_page",
    "write_pages",
    "write_verdicts",
]
