"""Where each fault shows, measured: `faults/shows.yml`, which saves a diagnosis most questions."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from autograder.course import assignment_folder, text_of
from autograder.diagnosis import FAULTS, SHOWS

_HEADING = """\
# In how many cases of which item each fault changes the answer: what a diagnosis need not ask.
# Measured and written by `autograder prove {} --measure`; `autograder prove` measures it again.
"""

Shows = Mapping[str, Mapping[str, Mapping[str, int]]]  # by component, fault and item


def shows_path(root: Path, assignment_id: str) -> Path:
    """Where the file of an assignment lies."""
    return assignment_folder(root, assignment_id) / FAULTS / SHOWS


def write_shows(root: Path, assignment_id: str, measured: Shows) -> Path:
    """Write the file of an assignment; returns its path."""
    text = yaml.safe_dump(measured, sort_keys=False, default_flow_style=None, width=10_000)
    path = shows_path(root, assignment_id)
    path.write_text(_HEADING.format(assignment_id) + text, encoding="utf-8")
    return path


def stale_shows(root: Path, assignment_id: str, measured: Shows) -> list[str]:
    """What the file of an assignment says and is not so, in sentences; none without a file."""
    path = shows_path(root, assignment_id)
    if not path.is_file():
        return []
    told = yaml.safe_load(text_of(path)) or {}
    wrong = [
        f"{component}.{fault}"
        for component in told.keys() | measured.keys()
        for fault in told.get(component, {}).keys() | measured.get(component, {}).keys()
        if told.get(component, {}).get(fault) != measured.get(component, {}).get(fault)
    ]
    if not wrong:
        return []
    renew = f"run `autograder prove {assignment_id} --measure`"
    return [f"{SHOWS} is stale ({', '.join(sorted(wrong)[:5])}): {renew}"]
