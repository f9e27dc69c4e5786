"""How fast the grader is, against stock nbgrader, Otter and nothing: `make bench`.

All sides of every ratio are measured in this one run, on notebooks with the same checks, and
each is given what speaks for it: of the others only what one more submission costs, without what
they do once and without importing the checks; of this grader everything, its start included. No
two submissions are alike: they are the reference and every right variant in turn, each with a name
in it. `--class 1000` grades a class of a thousand.
`python tests/benchmark.py --class 3` only shows that it runs, without Otter, which would be
installed first: its figures say nothing.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import bare
import nbformat
import torch
from pace import pace
from phases import phases
from rivals import Command, full_notebook, hand_in, otter, otter_scores, scores, stock

from autograder.asking.remote import RemoteStudent
from autograder.asking.student import LocalStudent
from autograder.course.manifest import read_course
from autograder.export.scripts import scripts_on_path
from autograder.grading import limits_of, prepare
from autograder.notebooks.submission import modules_for, read_submission
from autograder.proof.samples import read_samples
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
    others: int = 30  # submissions of each assignment


def cpu_seconds(command: list[str], cwd: Path) -> tuple[float, float]:
    """Processor seconds of a command with all its descendants, and wall seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - started


def kit_course(root: Path, wall: str, name: str, count: int) -> list[str]:
    """A course with a class; returns the command that grades it."""
    for each in ("course.yml", "nbgrader_config.py"):
        shutil.copy(ROOT / each, root)
    for each in ("solutions", "assignments"):
        shutil.copytree(ROOT / each, root / each)
    hand_in(root, name, [full_notebook(root, name, SECRET), *right_variants(name)], count)
    program = str(Path(sys.executable).with_name("autograder"))
    return [program, "grade", name, "--sandbox", wall]


def right_variants(name: str) -> list[nbformat.NotebookNode]:
    """Right code as others write it: its numbers are rounded in as many ways."""
    samples = read_samples(read_course(ROOT), name)
    return [nbformat.reads(each.data, as_version=4) for each in samples if each.kind == "right"]


def imports() -> float:
    """Processor seconds to import the checks beside torch: no cost of nbgrader's own."""
    seconds = []
    for what in ("import torch", "import torch, bare"):
        runs = [cpu_seconds([sys.executable, "-c", what], ROOT / "tests")[0] for _ in range(3)]
        seconds.append(min(runs))
    return max(0.0, seconds[1] - seconds[0])


def one_more(rival: Command, root: Path, size: Size) -> float:
    """Processor seconds that one more submission takes there, without the checks' imports."""
    few, more = (
        sum(cpu_seconds(each, root)[0] for each in rival(count)) for count in (size.few, size.more)
    )
    return (more - few) / (size.more - size.few) - imports()


def must_be_all_points(found: set[tuple[float, float]]) -> None:
    """End where checks did not run: nothing is faster."""
    if len(found) != 1 or any(got != of or not of for got, of in found):
        sys.exit(f"a right submission got {found}")


def rivals(size: Size) -> dict[str, float]:
    """What one more submission costs there. Each must have run all of the checks."""
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        seconds["nbgrader autograde"] = one_more(stock(root, NAME, SECRET, size.more), root, size)
        must_be_all_points(scores(root, NAME))
    if size.class_ >= Size.class_:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            seconds["otter run"] = one_more(otter(root, NAME, SECRET, size.more), root, size)
            must_be_all_points(otter_scores(root))
    for name, each in seconds.items():
        print(f"{name}: {each:.2f} core seconds for one more submission")
    return seconds


def per_core_second(wall: str, size: Size) -> None:
    """Submissions per processor second: a class here against others' graders."""
    theirs = rivals(size)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        grade = kit_course(root, wall, NAME, size.class_)
        cpu_seconds([*grade, "--jobs", "1", "--student", "s0000"], root)  # makes the gradebook
        again = [*grade, "--force", "--jobs"]
        kits = {jobs: cpu_seconds([*again, str(jobs)], root) for jobs in (1, 2)}
        kept, waited = cpu_seconds(grade, root)
    print(
        f"autograder grade where nothing changed: {kept:.1f} core seconds, {waited:.1f} s for "
        f"{size.class_} submissions"
    )
    for jobs, (cpu, seconds) in kits.items():
        print(
            f"autograder grade --jobs {jobs}: {cpu:.1f} core seconds, {seconds:.1f} s for "
            f"{size.class_} submissions with results, gradebook and pages ({wall})"
        )
        for name, each in theirs.items():
            what = f"{name.replace(' ', '_')}_jobs_{jobs}"
            print(f"ratio submissions_per_core_second_to_{what} {each * size.class_ / cpu:.1f}")
    print(f"ratio two_workers_to_one_in_wall_time {kits[1][1] / kits[2][1]:.2f}")


def class_of(wall: str, name: str, count: int) -> None:
    """What a submission of an assignment costs, with all that becomes of it."""
    with tempfile.TemporaryDirectory() as folder:
        grade = kit_course(Path(folder), wall, name, count)
        cpu, _ = cpu_seconds([*grade, "--jobs", "1"], Path(folder))
        one, _ = cpu_seconds([*grade, "--jobs", "1", "--force", "--student", "s0000"], Path(folder))
    each = (cpu - one) / (count - 1)
    print(f"{name}: {each * 1e3:.0f} ms of core time for one more submission, all included")


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
    size = Size(class_) if class_ >= Size.class_ else Size(class_, 1, 2, 2)
    wall = choose()
    course = read_course(ROOT)
    with scripts_on_path("alembic"):
        for each in (NAME, "a5_transformer"):
            fork_to_last_answer(wall, each, size)
        per_core_second(wall, size)
        for each in course.assignments if class_ >= Size.class_ else ():
            class_of(wall, each.id, size.others)
        for each in course.assignments if class_ >= Size.class_ else course.assignments[:1]:
            for kind in ("right", "wrong"):
                phases(wall, each.id, SECRET, kind, None if class_ >= Size.class_ else class_)
    for one in course.assignments if class_ >= Size.class_ else course.assignments[:1]:
        pace(one.id, SECRET)


if __name__ == "__main__":
    main()
