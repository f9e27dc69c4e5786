"""Writes anew where each fault shows: to be run after a change of checks or of faults."""

from pathlib import Path

import torch
import yaml

from autograder.course import assignment_folder, read_course
from autograder.diagnosis.components import FAULTS, SHOWS
from autograder.grading import prepare

ROOT = Path(__file__).resolve().parents[1]
SECRET = "for the tests alone"  # test_faults.py measures with the same
HEADING = """\
# In how many cases of which item each fault changes the answer: what a diagnosis need not ask.
# Measured and written by tests/write_shows.py; tests/test_faults.py measures it again.
"""


def write_shows(assignment_id: str) -> Path:
    """Write the file of an assignment; returns its path."""
    exam = prepare(read_course(ROOT), assignment_id, SECRET)
    shows = {
        component.name: {
            fault.name: dict(exam.bank.shows(component, fault)) for fault in component.faults
        }
        for component in exam.bank.components
    }
    path = assignment_folder(ROOT, assignment_id) / FAULTS / SHOWS
    path.write_text(
        HEADING + yaml.safe_dump(shows, sort_keys=False, default_flow_style=None, width=10_000)
    )
    return path


if __name__ == "__main__":
    torch.set_num_threads(1)
    for each in read_course(ROOT).assignments:
        print(write_shows(each.id))
