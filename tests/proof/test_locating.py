"""That lines are looked for with the bank switched off, and that a wrong one is found out."""

from dataclasses import replace

import pytest

from autograder.notebooks import Submission
from autograder.proof import lines_told, problems_of
from autograder.proof.locating import (
    Pointed,
    Sought,
    Wrong,
    mutants_to_locate,
    samples_to_locate,
)
from autograder.proof.page import write_proof
from autograder.proof.pool import open_pool
from autograder.proof.proving import Proof
from autograder.proof.samples import Sample
from autograder.repair import Located
from autograder.sandbox import walls

NOTHING = Submission((), (), "")


def told(source):
    return Located("area", 2, source, source, False, ("area",), True)


@pytest.mark.parametrize(
    ("changed", "right", "line", "pointed"),
    [
        ({"a = b"}, set(), "a = b", Pointed.LOCATED),
        ({"a = b"}, set(), "a = c", Pointed.WRONG),
        (None, {"a = c"}, "a = b", Pointed.LOCATED),
        (None, {"a = c"}, "a = c", Pointed.WRONG),
    ],
)
def test_a_line_that_was_not_changed_is_wrongly_told(changed, right, line, pointed):
    known = None if changed is None else frozenset(changed)
    wrong = Wrong("one", "mutant", NOTHING, known, frozenset(right))
    assert wrong.judged([]).pointed is Pointed.SILENT
    assert wrong.judged([], {"a = c"}).pointed is Pointed.SILENT  # where it was raised, no more
    found = wrong.judged([told(line)])
    assert found.pointed is pointed
    assert (found.problem is None) is (pointed is Pointed.LOCATED)


def test_an_exception_tells_the_line_where_that_is_known_to_be_wrong():
    changed = Wrong("one", "mutant", NOTHING, frozenset({"a = b"}))
    unknown = Wrong("one", "sample", NOTHING, None, frozenset({"a = c"}))
    raised = changed.judged([], {"a = b", "a = c"})
    assert raised.pointed is Pointed.RAISED
    assert raised.problem is None
    assert unknown.judged([], {"a = b"}).pointed is Pointed.SILENT
    assert changed.judged([told("a = c")], {"a = b"}).pointed is Pointed.WRONG


def test_a_proof_says_which_line_was_wrongly_told(exam, tmp_path):
    proof = Proof(exam.assignment, (), (), (), {}, {})
    found = Sought("one", "mutant", (told("a = b"),), Pointed.LOCATED)
    false = replace(found, name="two", pointed=Pointed.WRONG)
    assert replace(proof, sought=(found,)).problems == []
    (problem,) = replace(proof, sought=(found, false)).problems
    assert problem.startswith("two: a line is told that was not changed")
    write_proof([replace(proof, sought=(found, false))], "A course", tmp_path / "proof.html")
    assert "a line is told" in (tmp_path / "proof.html").read_text()


def test_of_too_little_that_is_located_a_proof_says_so(exam, tmp_path):
    found = Sought("one", "mutant", (told("a = b"),), Pointed.LOCATED)
    silent = replace(found, told=(), pointed=Pointed.SILENT)
    raised = replace(silent, pointed=Pointed.RAISED)

    def proofs(located, others):
        sought = (found,) * (located - 1) + (raised,) * bool(located) + (silent,) * others
        return [replace(Proof(exam.assignment, (), (), (), {}, {}), sought=sought)]

    assert problems_of(proofs(16, 4)) == []
    assert problems_of(proofs(0, 4)) == []  # too few to say
    (problem,) = problems_of(proofs(13, 7))
    assert problem.startswith("the line is told of only 65.0%, of 70% wanted: the page lists the")
    assert "`# lines: ...`" in problem
    assert str(lines_told(proofs(13, 7))).endswith(
        "told of 65.0% of what is wrong, with the bank switched off: of 60.0% by a repair, of 5.0% "
        "by its exception alone, of 0.0% as one that does nothing"
    )
    for number, bad in ((14, False), (13, True)):
        write_proof(proofs(number, 20 - number), "A course", tmp_path / "proof.html")
        page = (tmp_path / "proof.html").read_text()
        assert ('<p class="bad">The line is told of' in page) is bad


def test_where_something_is_missing_the_line_that_is_told_is_right_by_itself():
    missing = replace(told("a = c"), missing=True)
    says = Wrong("one", "sample", NOTHING, frozenset({"(missing) a line"}))
    unknown = Wrong("one", "sample", NOTHING, None, frozenset({"a = c"}))
    changed = Wrong("one", "mutant", NOTHING, frozenset({"a = b"}))
    pointed = [each.judged([missing]).pointed for each in (says, unknown, changed)]
    assert pointed == [Pointed.LOCATED, Pointed.LOCATED, Pointed.WRONG]


def test_mutants_are_located_behind_the_walls(course, exam):
    """Of a mask one line; `pass` in its place is told as what does nothing."""
    wrong = {each.name: each for each in mutants_to_locate(exam.source)}
    line = "causal_mask, line 8: return position[None, :] <= position[:, None]"
    chosen = [each for name, each in wrong.items() if name.startswith(f"{line} -> ")][:4]
    right = replace(chosen[0], name="right", submission=Submission(exam.source.reference, (), ""))
    heard = []
    with open_pool(course, walls.choose(), 1) as pool:
        found = pool.locate("a1_attention", [*chosen, right], lambda *told: heard.append(told))
    assert heard == [(2, 5), (3, 5), (4, 5), (5, 5)]
    assert len(found) == 4  # in what loses nothing, no line is looked for
    pointed = {each.name.rpartition("-> ")[2]: each.pointed for each in found}
    assert pointed.pop("pass") is Pointed.UNDONE
    assert Pointed.LOCATED in pointed.values()
    assert Pointed.WRONG not in pointed.values()


def test_a_sample_may_say_which_lines_are_wrong(exam, samples):
    wrong = samples["no_scale"]
    assert isinstance(wrong, Sample)
    right = [each for each in samples.values() if each.kind == "right"]
    says = replace(wrong, lines=frozenset({"scores = q @ k.transpose(-2, -1)"}))
    one, other = samples_to_locate(exam, [*right, wrong, says])
    assert one.changed is None
    assert "return weights @ v, weights" in one.right
    assert other.changed == says.lines
