"""Whatever a week of grading leaves in a course's folder stays out of its history."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

PROGRAMS = Path(sys.executable).parent
NAME = "squares"
# What lies there at the week's end that did not lie there at its beginning.
LEFT = {
    ".autograder_secret",
    "autograded/ada",
    "autograded/kim",
    "downloaded/squares",
    "exports/squares.csv",
    "extensions.csv",
    "earlier/kim",
    "feedback/ada",
    "feedback/kim",
    "gradebook.db",
    "gradebook.db.backup",
    "grades.csv",
    "results/index.html",
    "results/.squares",
    "results/squares",
    "results/squares.html",
    "roster.csv",
    "solution/squares",
    "submitted/kim",
}


def run(here, program, *args):
    environment = {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}", "HOME": str(here.parent)}
    about = {"cwd": here, "env": os.environ | environment, "capture_output": True, "text": True}
    done = subprocess.run([program, *args], timeout=170, **about)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def git(here, *args):
    return run(here, "git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", *args)


def lies(here):
    """Files by their first two folders, as far as these are no student's but ada's or kim's."""
    paths = (path.relative_to(here) for path in here.rglob("*") if path.is_file())
    firsts = {"/".join(path.parts[:2]) for path in paths if path.parts[0] != ".git"}
    firsts = {re.sub(r"\.backup-.*", ".backup", each) for each in firsts}
    return {each for each in firsts if not each.endswith(("/bob", "/eve"))}


def test_nothing_of_the_class_enters_the_history(here):
    git(here, "init", "--quiet")
    git(here, "add", "--all")
    git(here, "commit", "--quiet", "--message", "The course")
    tracked = set(git(here, "ls-files").split())
    assert {"course.yml", f"solutions/{NAME}/{NAME}.py"} <= tracked
    assert not any(each.startswith("submitted/") for each in tracked)
    before = lies(here)
    archive = here / "downloaded" / NAME / "archive" / "moodle.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as file:
        notebook = here / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
        file.write(notebook, f"{NAME}_kim_attempt_2027-02-08-22-59-00_{NAME}.ipynb")

    pattern = r".+_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>\w+)"
    run(here, "nbgrader", "zip_collect", NAME, f"--FileNameCollectorPlugin.named_regexp={pattern}")
    for day in (1, 2):
        inbound = archive.parents[1] / "inbound" / f"kim+{NAME}+2027-02-0{day} 12:00:00.0 UTC"
        inbound.mkdir(parents=True)
        (inbound / f"{NAME}.ipynb").write_bytes(notebook.read_bytes())
    (here / "roster.csv").write_text("id,name\nkim,Kim Li\n")
    run(here, "autograder", "collect", NAME, inbound.parent)
    run(here, "autograder", "release")
    run(here, "autograder", "grade", NAME, "--jobs", "1")
    run(here, "nbgrader", "generate_feedback", NAME, "--force")
    run(here, "nbgrader", "generate_solution", NAME)
    run(here, "nbgrader", "export")
    (here / "extensions.csv").write_text("student,assignment,days\n")
    run(here, "autograder", "pages")
    run(here, "autograder", "export")

    assert lies(here) - before == LEFT
    assert git(here, "status", "--porcelain", "--untracked-files=all") == ""
