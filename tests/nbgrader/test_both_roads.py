"""nbgrader's own road: its programs, on a course in files, give `autograder grade`'s grades."""

import json
import shutil

import pytest
from nbgrader_course import NAME, ROOT, new_course, run, scores

from autograder.course.manifest import read_course
from autograder.proof.samples import sample_class

pytestmark = pytest.mark.slow
# An assignment, and how many of the demo's class hand in, at least; some of them are broken.
MANY = [(each.id, 12 if each.id == NAME else 4) for each in read_course(ROOT).assignments]


@pytest.fixture(scope="module", params=[pytest.param(each, id=each[0]) for each in MANY])
def both_roads(request, tmp_path_factory):
    """Some of the demo's class graded on both roads."""
    name, many = request.param
    course = new_course(tmp_path_factory.mktemp("roads") / "course")
    if name != NAME:  # lines are looked for on both roads in one: that takes its time
        manifest, entry = course / "course.yml", f"\n  {name}:\n"
        before, found, after = manifest.read_text().partition(entry)
        assert found
        manifest.write_text(f"{before}{entry}    locate: false\n{after}")
    whole = sample_class(read_course(ROOT), name)
    for sample in whole[:: len(whole) // many]:
        if sample.kind != "broken":  # what waits for staff ends both programs with another status
            sample.write(course / "submitted")
    theirs = course.with_name("nbgrader")
    shutil.copytree(course, theirs)
    run(course, "autograder", "grade", name)
    run(theirs, "nbgrader", "autograde", name)
    return name, course, theirs


def test_both_roads_agree_to_the_last_digit(both_roads):
    name, ours, theirs = both_roads
    by_hand = {part.id for part in read_course(ROOT).assignment(name).manual}
    expected, found = (
        {
            student: {item: score for item, score in items.items() if item not in by_hand}
            for student, items in scores(course, name).items()
        }
        for course in (ours, theirs)
    )
    assert len(expected) >= 4
    assert found == expected
    for course in (ours, theirs):
        run(course, "nbgrader", "export")
    assert (theirs / "grades.csv").read_text() == (ours / "grades.csv").read_text()


def test_the_evidence_is_kept(both_roads):
    name, ours, theirs = both_roads
    for path in (ours / "results" / name).iterdir():
        expected, found = (
            json.loads((course / "results" / name / path.name).read_text())
            for course in (ours, theirs)
        )
        # Which of its limits a hostile one meets first is a matter of chance: no verdicts here.
        for key in ("score", "submission_sha256", "secret_fingerprint"):
            assert found[key] == expected[key]
        assert [each["score"] for each in found["items"]] == [
            each["score"] for each in expected["items"]
        ]
