"""Grade samples of one assignment behind the walls: `python tests/try_samples.py a2_multi_head x`.

Prints the verdicts that are not as the sample says; a part of a sample's name picks some.
"""

import sys
import tempfile
import time
from pathlib import Path

from autograder.course.manifest import read_course
from autograder.course.result import Verdict
from autograder.grading import grade, limits_of, open_exam, prepare
from autograder.proof.samples import read_samples
from autograder.sandbox.host import Server
from autograder.sandbox.walls import choose

ROOT = Path(__file__).resolve().parents[1]


def main(assignment_id: str, pattern: str = "") -> int:
    """Returns how many samples got something else."""
    course = read_course(ROOT)
    exam = prepare(course, assignment_id, "a secret for trying")
    samples = [each for each in read_samples(course, assignment_id) if pattern in each.name]
    bad = 0
    with tempfile.TemporaryDirectory() as folder, Server(choose(), limits_of(exam.assignment)) as s:

        def body(run):
            nonlocal bad
            for each in samples:
                started = time.perf_counter()
                path = each.write(Path(folder))
                result = grade(each.name, path.parent, exam, s, run)
                seconds = time.perf_counter() - started
                right = {Verdict.PASSED, Verdict.CARRIED}
                lost = {item.item for item in result.items if item.verdict not in right}
                verdicts = {item.verdict for item in result.items if item.item in lost}
                fine = lost == each.fails and verdicts <= {each.verdict or Verdict.WRONG, *verdicts}
                if each.verdict is not None and lost:
                    fine = fine and verdicts == {each.verdict}
                bad += not fine
                print(
                    f"{'ok ' if fine else 'BAD'} {each.kind:8} {each.name} {seconds * 1e3:.0f} ms"
                )
                if not fine or pattern:
                    print("   lost but should not:", sorted(lost - each.fails))
                    print("   should be lost:", sorted(each.fails - lost))
                    for item in result.items:
                        if item.verdict is not Verdict.PASSED:
                            print(f"   {item.item}: {item.verdict}: {item.message}")
                    for note in result.notes:
                        print("   note:", note)

        open_exam(exam, body)
    print(f"{len(samples)} samples, {bad} not as they should be")
    return bad


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
