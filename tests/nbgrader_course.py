"""A course in files for nbgrader's programs: made, handed in to, graded, and its gradebook read."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from autograder.course.manifest import read_course

ROOT = Path(__file__).resolve().parents[1]
NAME = "a1_attention"
EVERYTHING = read_course(ROOT).assignment(NAME).max_score
SECRET = "for the tests alone"
PROGRAMS = Path(sys.executable).parent


def run(course, *args, fails=False):
    home = course.parent / "home"  # nobody's own configuration of Jupyter
    environment = {"AUTOGRADER_SECRET": SECRET, "HOME": str(home), "JUPYTER_NO_CONFIG": "1"}
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [PROGRAMS / args[0], *args[1:]],
        cwd=course,
        capture_output=True,
        text=True,
        env=os.environ | environment | {"PATH": path},
        timeout=900,
    )
    assert bool(done.returncode) == fails, done.stdout + done.stderr
    return done


def new_course(root):
    root.mkdir(parents=True)
    for name in ("course.yml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root)
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, root / name)
    return root


def gradebook(course):
    return Gradebook(f"sqlite:///{course / 'gradebook.db'}")


def scores(course, name=NAME):
    """Every automatic score in the gradebook, by student and item."""
    with gradebook(course) as book:
        return {
            submission.student.id: {
                grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in book.assignment_submissions(name)
        }


def everything(db_url, name=NAME):
    """All that a gradebook holds of an assignment's submissions, by student."""
    with Gradebook(db_url) as book:
        return {
            each.student.id: (
                each.timestamp,
                each.duedate,
                each.late_submission_penalty,
                each.score,
                [
                    (of.name, of.auto_score, of.manual_score, of.extra_credit, of.max_score)
                    for of in sorted(each.notebooks[0].grades, key=lambda grade: grade.name)
                ],
                sorted(of.name for of in each.notebooks[0].grades if of.needs_manual_grade),
                sorted((of.name, of.auto_comment) for of in each.notebooks[0].comments),
                (each.student.first_name, each.student.last_name, each.student.email),
            )
            for each in book.assignment_submissions(name)
        }


def write(course, student, data, name=f"{NAME}.ipynb"):
    folder = course / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    text = nbformat.writes(data) if isinstance(data, dict) else data
    (folder / name).write_text(text)
