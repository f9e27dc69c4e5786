"""How fast the grader is, against stock nbgrader and against nothing: `make bench`.

Both sides of every ratio are measured in this one run, on notebooks with the same checks, and
each is given what speaks for it: of nbgrader only what one more submission costs, without its
start and without importing the checks; of this grader everything, its start included.
`python tests/benchmark.py --class 3` only shows that it runs: its figures say nothing.
"""

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bare
import nbformat
import torch
from pace import pace
from phases import phases

from autograder.asking.remote import RemoteStudent
from autograder.asking.student import LocalStudent
from autograder.course.manifest import read_course
from autograder.grading import limits_of, prepare
from autograder.notebooks.submission import modules_for, read_submission
from autograder.release.scripts import scripts_on_path
from autograder.sandbox.host import Server
from autograder.sandbox.walls import choose

ROOT = Path(__file__).resolve().parents[1]
NAME = "a1_attention"
SECRET = "a secret for the benchmark"


@dataclass(frozen=True)
class Size:
    """How much is measured. few, more: submissions for nbgrader, whose difference counts."""

    class_: int = 100
    few: int = 2
    more: int = 8
    rounds: int = 30


def cpu_seconds(command: list[str], cwd: Path) -> tuple[float, float]:
    """Processor seconds of a command with all its descendants, and wall seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - started


def full_notebook(course_root: Path) -> nbformat.NotebookNode:
    """The released notebook with the reference's solutions filled in."""
    notebook = nbformat.read(course_root / "assignments" / NAME / f"{NAME}.ipynb", as_version=4)
    exam = prepare(read_course(ROOT), NAME, SECRET)
    answers = {f"solution_{cell.name}": cell.source for cell in exam.source.reference}
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    return notebook


def kit_course(root: Path, wall: str, size: Size) -> list[str]:
    """A course with a class; returns the command that grades it."""
    for name in ("course.yml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root)
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, root / name)
    notebook = full_notebook(root)
    for number in range(size.class_):
        folder = root / "submitted" / f"s{number:03}" / NAME
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{NAME}.ipynb")
    program = str(Path(sys.executable).with_name("autograder"))
    return [program, "grade", NAME, "--sandbox", wall]


def stock_course(root: Path, size: Size) -> Callable[[int], list[str]]:
    """A stock nbgrader course with the same checks in its grade cells; returns the command."""
    exam = prepare(read_course(ROOT), NAME, SECRET)
    source = root / "source" / NAME
    source.mkdir(parents=True)
    (source / "reference.json").write_text(
        json.dumps(
            {
                "cells": [[cell.name, cell.source] for cell in exam.source.reference],
                "tolerances": {item.id: item.tolerance for item in exam.assignment.items},
                "parameters": exam.source.parameters,
            }
        )
    )
    notebook = full_notebook(ROOT)
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade"):
            cell.source = f"check_item({nbgrader['grade_id']!r})"
        elif nbgrader.get("grade_id") == "given_checks":
            cell.source = (
                f"import json, sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nimport bare\n"
                "from autograder.student import Cell, LocalStudent\n"
                "known = json.load(open('reference.json'))\n"
                "cells = [Cell(*each) for each in known['cells']]\n"
                "reference = LocalStudent(cells, {})\n"
                "def check_item(item):\n"
                f"    assert bare.run({NAME!r}, bare.Names(globals()), reference,\n"
                f"        known['tolerances'], known['parameters'], {SECRET!r}, item)"
            )
        nbgrader.pop("checksum", None)
    nbformat.write(notebook, source / f"{NAME}.ipynb")
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    program = str(Path(sys.executable).with_name("nbgrader"))
    cpu_seconds([program, "generate_assignment", NAME, "--force"], root)
    for number in range(size.more):
        folder = root / "submitted" / f"s{number}" / NAME
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{NAME}.ipynb")

    def command(count: int) -> list[str]:
        return [program, "autograde", NAME, "--force", f"--student=s[0-{count - 1}]"]

    return command


def imports() -> float:
    """Processor seconds to import the checks beside torch: no cost of nbgrader's own."""
    seconds = []
    for what in ("import torch", "import torch, bare"):
        runs = [cpu_seconds([sys.executable, "-c", what], ROOT / "tests")[0] for _ in range(3)]
        seconds.append(min(runs))
    return max(0.0, seconds[1] - seconds[0])


def per_core_second(wall: str, size: Size) -> None:
    """Submissions per processor second: a class here against stock nbgrader."""
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        grade = kit_course(Path(ours), wall, size)
        cpu_seconds([*grade, "--jobs", "1"], Path(ours))  # makes the gradebook, as theirs is made
        autograde = stock_course(Path(theirs), size)
        few, _ = cpu_seconds(autograde(size.few), Path(theirs))
        again = [*grade, "--force", "--jobs"]
        kits = {jobs: cpu_seconds([*again, str(jobs)], Path(ours)) for jobs in (1, 2)}
        kept, waited = cpu_seconds(grade, Path(ours))
        more, _ = cpu_seconds(autograde(size.more), Path(theirs))
    stock = (more - few) / (size.more - size.few) - imports()
    print(
        f"autograder grade where nothing changed: {kept:.1f} core seconds, {waited:.1f} s for "
        f"{size.class_} submissions"
    )
    print(f"nbgrader autograde: {stock:.2f} core seconds for one more submission")
    for jobs, (cpu, seconds) in kits.items():
        print(
            f"autograder grade --jobs {jobs}: {cpu:.1f} core seconds, {seconds:.1f} s for "
            f"{size.class_} submissions with results, gradebook and pages ({wall})"
        )
        print(f"ratio submissions_per_core_second_jobs_{jobs} {stock * size.class_ / cpu:.1f}")


def fork_to_last_answer(wall: str, name: str, size: Size) -> None:
    """The checks through the walls against the same checks called in this process."""
    torch.set_num_threads(1)
    exam = prepare(read_course(ROOT), name, SECRET)
    submission = read_submission(ROOT / "solutions" / name / f"{name}.py", exam.source)
    tolerances = {item.id: item.tolerance for item in exam.assignment.items}

    def checks(student: bare.Student) -> int:
        parameters = exam.source.parameters
        return bare.run(name, student, exam.reference, tolerances, parameters, SECRET)

    def walled(server: Server) -> float:
        started = time.perf_counter()
        remote = RemoteStudent(
            server,
            submission.cells,
            modules=modules_for(exam.source),
            banned=exam.assignment.banned,
            banned_in={},
            defined_in=exam.source.defined_in,
            foreseen=exam.foreseen,
        )
        with remote as student:
            student.run()
            checks(student)
            return time.perf_counter() - started

    def in_process() -> None:
        checks(LocalStudent(exam.source.reference, modules_for(exam.source)))

    seconds: dict[str, list[float]] = {"walled": [], "bare": []}
    with Server(wall, limits_of(exam.assignment)) as server:
        walled(server)
        in_process()
        for _ in range(size.rounds):
            seconds["walled"].append(walled(server))
            started = time.perf_counter()
            in_process()
            seconds["bare"].append(time.perf_counter() - started)
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    count = sum(1 for _ in bare.cases(name))
    walled_ms, bare_ms = middle["walled"] * 1e3, middle["bare"] * 1e3
    print(f"{name}: {count} checks behind {wall}, from fork to last answer: {walled_ms:.0f} ms")
    print(f"{name}: {count} checks in one bare process: {bare_ms:.0f} ms")
    print(f"ratio fork_to_last_answer_{name} {middle['walled'] / middle['bare']:.2f}")


def main() -> None:
    """Measure all of it, and print lines that begin with `ratio`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--class", type=int, default=Size.class_, help="submissions", dest="class_")
    class_ = parser.parse_args().class_
    size = Size() if class_ >= Size.class_ else Size(class_, 1, 2, 2)
    wall = choose()
    course = read_course(ROOT)
    with scripts_on_path("alembic"):
        for each in (NAME, "a5_transformer"):
            fork_to_last_answer(wall, each, size)
        per_core_second(wall, size)
        for each in course.assignments if class_ >= Size.class_ else course.assignments[:1]:
            for kind in ("right", "wrong"):
                phases(wall, each.id, SECRET, kind)
    for one in course.assignments if class_ >= Size.class_ else course.assignments[:1]:
        pace(one.id, SECRET)


if __name__ == "__main__":
    main()
