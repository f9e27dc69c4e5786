"""A course with one assignment, a class of three, and what is collected into it."""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.collect import Place, collect
from autograder.course import Due, behind, read_course, read_roster

NAME = "squares"
COURSE = f"""\
name: A course
limits: {{wall_seconds: 60, call_seconds: 5, memory_mib: 512, processes: 1, output_bytes: 65536}}
assignments:
  {NAME}:
    title: Squares
    dates: {{released: 2027-02-01T09:00:00+01:00, due: 2027-02-08T23:59:00+01:00}}
    handed_in: [table.tsv]
    items:
      distances: {{title: All, points: 2, visibility: public, tolerance: 1.0e-9}}
"""
ROSTER = """\
id,first_name,last_name,email,canvas,moodle,gradescope,github
ada,Ada,Lovelace,ada@example.edu,11,501,3001,ada-l
dara,Dara,Ó Briain,dara@example.edu,12,502,3002,dara
eve,Eve,Adams,eve@example.edu,13,503,3003,
"""


def notebook(text=""):
    """A notebook that says so."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": text}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@dataclass
class Course:
    root: Path

    def collect(self, source, **options):
        """Collect from there; who is there, each with what came of them."""
        roster = read_roster(self.root)
        manifest = read_course(self.root)
        assignment = manifest.assignment(NAME)
        due = assignment.dates.due
        submitted, earlier = self.root / "submitted", self.root / "earlier"
        done = collect(
            assignment,
            source,
            roster,
            lambda student: Place(submitted / student / NAME, earlier / student / NAME),
            lambda _, at: behind(assignment, Due(at, due)),
            **options,
        )
        self.last = done
        return {row.student: row for row in done.rows}

    def lies(self, below="submitted"):
        """All files below a folder, and what they hold."""
        folder = self.root / below
        found = (path for path in folder.rglob("*") if not path.is_dir())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}

    def zip(self, files, name="download.zip", year=2027):
        """A zip of these files, by their paths, in the folder of downloads."""
        path = self.root / "downloaded" / name
        path.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for each, data in files.items():
                info = each if isinstance(each, zipfile.ZipInfo) else zipfile.ZipInfo(each)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.date_time = (year, 2, 9, 8, 0, 0)
                archive.writestr(info, data)
        return path

    def folder(self, files, name="download"):
        """A folder of these files, by their paths."""
        root = self.root / "downloaded" / name
        for each, data in files.items():
            path = root / each
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return root


@pytest.fixture
def course(tmp_path):
    (tmp_path / "course.yml").write_text(COURSE)
    (tmp_path / "roster.csv").write_text(ROSTER)
    return Course(tmp_path)
