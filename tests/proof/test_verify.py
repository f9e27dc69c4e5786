"""The gate stays shut when a promise is broken."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from autograder.checking import ChecksBroken
from autograder.course.manifest import read_course
from autograder.proof import promises as verification
from autograder.proof.pasting import pasted
from autograder.proof.samples import read_samples
from autograder.proof.verifying import verify
from autograder.release import Built
from autograder.sandbox.walls import choose
from autograder.template import plan

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the course; its first assignment's tolerances allow far too much."""
    root = tmp_path_factory.mktemp("course")
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, root / name)
    text = (ROOT / "course.yml").read_text()
    (root / "course.yml").write_text(text.replace("1.0e-10", "1.0e-2"))
    (root / "assignments" / NAME / "checks" / "compare.py").write_text("stale")
    return read_course(root)


@pytest.fixture(scope="module")
def gate(copied):
    return verification._Gate(copied, copied.assignment(NAME), choose(), 1, lambda text: None)


def test_a_stale_release_is_found(gate):
    _, problem = verification._fresh(gate)
    assert problem == (
        "stale: checks/cases.json, checks/compare.py: run `autograder release`"
    )  # the cases hold the tolerances


def test_tolerances_that_excuse_wrong_code_are_found(gate, copied):
    names = ("scaled_queries", "no_scale", "exp_and_normalise")
    gate.samples = [each for each in read_samples(copied, NAME) if each.name in names]

    figure, problem = verification._margins_wide(gate)
    assert problem.startswith("closer than a factor of 100: attention_")
    assert "variants at most" in figure


def test_a_stub_that_passes_a_check_is_found(gate, monkeypatch):
    notebook = nbformat.reads(gate.built.files[gate.notebook_name].decode(), as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "causal_mask":
            cell.source = "pass"
    files = gate.built.files | {gate.notebook_name: nbformat.writes(notebook).encode()}
    monkeypatch.setattr(gate, "built", replace(gate.built, files=files))
    figure, problem = verification._stub_fails(gate)
    assert figure == "10 of 11 checks"
    assert problem == "passed by the stub: causal_mask"


def test_a_sample_that_gets_something_else_is_found(gate, copied, monkeypatch):
    samples = read_samples(copied, NAME)
    wrong = next(each for each in samples if each.name == "padding_id_is_a_constant")
    stub = next(each for each in samples if each.kind == "stub")
    monkeypatch.setattr(gate, "samples", [replace(wrong, kind="right", fails=frozenset()), stub])
    gate.__dict__.pop("graded", None)
    _, problem = verification._samples_as_told(gate)
    assert problem == "1 got something else: padding_id_is_a_constant loses padding_mask (wrong)"
    assert verification._reference_full(gate) == ("22 of 22", None)
    assert verification._stub_missing(gate) == ("11 of 11 items", None)
    gate.__dict__.pop("graded", None)


def test_a_given_part_that_solves_another_assignment_is_found(copied, monkeypatch):
    given = copied.root / "solutions" / "given.py"
    whole = given.read_text()
    opened = whole.replace("torch.isin(tokens, pads, invert=True)", "tokens.ne(pad_id)")
    given.write_text(opened.replace("    pads = torch.full", "    # pads = torch.full"))
    gate = verification._Gate(copied, copied.assignment(NAME), choose(), 1, lambda text: None)
    kept = [
        each
        for each in pasted(copied, NAME, gate.built.files[gate.notebook_name])
        if each.about == "a6_translation/given.py"
    ]
    monkeypatch.setattr(verification, "pasted", lambda *_: iter(kept))
    figure, problem = verification._pasted_earns_nothing(gate)
    given.write_text(whole)
    assert figure == "1 pasting"
    assert problem == "a6_translation/given.py earns padding_mask"


def test_each_promise_is_tried_and_the_manifest_is_counted(copied, monkeypatch):
    tried = {name: lambda gate: ("seen", None) for name in verification._PROMISES}
    monkeypatch.setattr(verification, "_PROMISES", tried)
    found = list(verify(copied, [copied.assignment(NAME)], "none", 1, lambda text: None))
    assert [each.promise for each in found] == ["valid", *tried]
    assert found[0].figure.startswith(f"{len(copied.assignments)} assignments, ")
    assert all(each.problem is None for each in found)


@pytest.mark.slow
def test_several_are_verified_side_by_side_and_told_in_order(tmp_path):
    names = ["squares", "cubes", "broken"]
    for name in names:
        plan(tmp_path, name).write()
    (tmp_path / "solutions" / "broken" / "checks.py").write_text("def")
    course, heard, found = read_course(tmp_path), [], []
    trying = verify(course, course.assignments, choose(), 2, heard.append)
    with pytest.raises(ChecksBroken, match=r"broken/checks\.py"):
        found.extend(trying)
    tried = [(name, each) for name in names[:2] for each in verification._PROMISES]
    assert [(each.assignment, each.promise) for each in found[1:]] == tried
    assert {each.partition(":")[0] for each in heard} == {*names}


def test_two_builds_may_differ_in_the_last_digit_and_in_nothing_else(monkeypatch):
    released = ROOT / "assignments" / "a4_layers"
    there = {
        path.relative_to(released).as_posix(): path.read_bytes()
        for path in released.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    cases = there["checks/cases.json"]
    nudged = re.sub(rb"(0\.\d{14})\d(?=[,\]])", rb"\g<1>1", cases)
    assert nudged != cases
    gate = SimpleNamespace(
        course=SimpleNamespace(root=ROOT),
        assignment=SimpleNamespace(id=released.name),
        built=Built(there),
    )
    for files, problem in (
        ({"checks/cases.json": nudged}, None),
        ({"README.md": b"another"}, "the same source gave other bytes the second time"),
    ):
        monkeypatch.setattr(verification, "build", lambda *_, files=files: Built(there | files))
        assert verification._fresh(gate)[1] == problem
