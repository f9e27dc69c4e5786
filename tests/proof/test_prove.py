"""The gate: known mistakes handed in, what is caught, what is said; and that the gate can fail."""

import shutil
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import source_path
from autograder.course.manifest import read_course
from autograder.course.result import ItemResult, Verdict
from autograder.notebooks.source import read_source
from autograder.proof.mutants import Mutant, Tried, mutants, read_equivalent
from autograder.proof.page import short_names, write_proof
from autograder.proof.pool import in_parts, open_pool
from autograder.proof.proven import Graded, Proof, Told
from autograder.proof.proving import prove
from autograder.sandbox import walls

ROOT = Path(__file__).resolve().parents[2]
CHOSEN = ["a1_attention", "a6_translation"]
# Of how many one is taken, of single faults and of pairs: `make prove` takes them all, of every
# assignment.
ONE_OF = 8, 60
MUTANTS = 5


def number(faults):
    return zlib.crc32(" ".join(each.id for each in faults).encode())


@pytest.fixture(scope="module")
def pool(course):
    with open_pool(course, walls.choose(), 2) as pool:
        yield pool


@pytest.mark.parametrize("assignment_id", CHOSEN)
def test_some_faults_pairs_and_all_variants(course, pool, assignment_id):
    proof = prove(
        course,
        assignment_id,
        pool,
        lambda done, total: None,
        lambda faults: number(faults) % ONE_OF[len(faults) - 1] == 0,
    )
    # A share of so few pairs says little: of each, something must be told.
    assert [each for each in proof.problems if "of the pairs" not in each] == []
    assert proof.figures["told nothing"] == 0
    assert len(proof.singles) >= 3
    assert proof.variants


@pytest.mark.parametrize("assignment_id", CHOSEN)
def test_some_mutants(pool, assignment_id):
    every = mutants(read_source(source_path(ROOT, assignment_id)))
    chosen = every[:: max(1, len(every) // MUTANTS)]
    tried = pool.try_mutants(assignment_id, chosen, lambda done, total: None)
    assert [each.mutant for each in tried] == chosen
    assert [each.problem for each in tried if each.problem] == []


@pytest.mark.parametrize("assignment_id", [each.id for each in read_course(ROOT).assignments])
def test_every_mutant_that_is_called_equivalent_is_one(assignment_id):
    read_equivalent(read_source(source_path(ROOT, assignment_id)))


def lost(item="causal_mask", **more):
    return ItemResult(
        item=item, title=item, points=1, score=0, verdict=Verdict.WRONG, message="", **more
    )


@pytest.fixture(scope="module")
def proof(exam):
    components = tuple(exam.bank.components)
    one = next(each for each in components if each.name == "causal_mask").faults[0]
    named = Graded((one,), (lost(faults={one.id: one.sentence}),), Told.NAMED)
    return Proof(exam.assignment, components, (named,), (), {"a": ()}, {"b": ()})


def test_a_proof_without_problems_has_none(proof):
    assert proof.problems == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lost": ()}, "survives"),
        ({"lost": (lost("padding_mask"),)}, "is not caught by causal_mask"),
        ({"told": Told.SILENT}, "is silent"),
        ({"told": Told.PARTLY}, "is partly"),
        ({"told": Told.WRONG}, "is wrong"),
        ({"told": Told.ALIKE}, "is alike"),
        ({"costs": 0.3, "is_too_dear": True}, "costs 30% of the points"),
    ],
)
def test_a_single_fault_fails_the_gate(proof, changed, said):
    broken = replace(proof, singles=(replace(proof.singles[0], **changed),))
    assert len(broken.problems) == 1
    assert said in broken.problems[0]


def test_a_variant_that_loses_a_point_fails_the_gate(proof):
    broken = replace(proof, variants={"in_another_style": (lost(),)})
    assert "in_another_style" in broken.problems[0]


def test_a_component_that_is_wrong_without_a_fault_fails_the_gate(proof):
    broken = replace(proof, bases={"b without a fault": (lost(),)})
    assert broken.problems == [
        "b without a fault loses or is told of causal_mask: its steps are not what the reference "
        "does"
    ]


def test_pairs_fail_the_gate_when_one_is_told_wrongly_or_too_few_are_named(proof):
    pair = replace(proof.singles[0], faults=2 * proof.singles[0].faults)
    many = (pair,) * 19
    assert replace(proof, pairs=(*many, replace(pair, told=Told.SILENT))).problems == []
    few = replace(proof, pairs=(*many[1:], *2 * (replace(pair, told=Told.SILENT),)))
    assert "of the pairs are named, of 95% wanted: the page lists" in few.problems[0]
    assert replace(proof, pairs=(*many, replace(pair, told=Told.ALIKE))).problems == []
    wrong = replace(proof, pairs=(*many, replace(pair, told=Told.WRONG)))
    assert "told as something else" in wrong.problems[0]


def test_a_mutant_that_survives_or_a_reason_that_is_none_fails_the_gate(proof):
    mutant = Mutant("attention", 1, "line 1: a -> b", "")
    for tried in (Tried(mutant, None, None), Tried(mutant, "attention_mask", "it is the same")):
        assert len(replace(proof, mutants=(tried,)).problems) == 1
    for tried in (Tried(mutant, "attention_mask", None), Tried(mutant, None, "it is the same")):
        assert replace(proof, mutants=(tried,)).problems == []


def test_a_fault_that_is_none_and_one_of_another_item_are_found(tmp_path):
    """The bank itself is broken, and the whole gate is run on it."""
    shutil.copy(ROOT / "course.yml", tmp_path)
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    file = tmp_path / "solutions" / "a1_attention" / "faults" / "causal_mask.py"
    text = file.read_text().replace(
        'item = "causal_mask"\n\n    def size_of(self, size):\n        return size + 1',
        'item = "attention_scale"\n\n    def size_of(self, size):\n        return size + 1',
    )
    assert text != file.read_text()
    text += '''

class Nothing(CausalMask):
    """Nothing is wrong.

    What could be?
    """

    item = "causal_mask"

    def kind(self, mask):
        return mask.clone()
'''
    file.write_text(text)
    course = read_course(tmp_path)
    with open_pool(course, walls.choose(), 1) as pool:
        proof = prove(
            course,
            "a1_attention",
            pool,
            lambda done, total: None,
            lambda faults: [each.name for each in faults] in (["Nothing"], ["OneRowTooMany"]),
        )
    said = "\n".join(proof.problems)
    assert "causal_mask.Nothing survives" in said
    assert "causal_mask.OneRowTooMany is not caught by attention_scale" in said


def test_the_page_says_it_all(proof, tmp_path):
    mutant = Mutant("attention", 1, "line 1: a -> b", "")
    broken = replace(
        proof,
        variants={"in_another_style": (lost(),)},
        mutants=(Tried(mutant, None, "no input tells"), Tried(mutant, None, None)),
    )
    for each in (proof, broken):
        write_proof([each], "A course", tmp_path / "proof.html")
        text = (tmp_path / "proof.html").read_text()
        assert proof.singles[0].faults[0].sentence in text
        assert ("in_another_style" in text) is (each is broken)
        assert ("no input tells" in text) is (each is broken)
        assert ("it loses no item" in text) is (each is broken)
        assert (">killed<" in text) is (each is broken)  # none was tried: 0 would be no figure
        assert ">single faults<" in text


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["a1_vectors", "a2_matrices"], ["a1", "a2"]),
        (["week_1", "week_2"], ["week_1", "week_2"]),
        (["week_1"], ["week_1"]),
    ],
)
def test_the_columns_of_assignments_can_be_told_apart(proof, ids, names):
    named = [proof.assignment.model_copy(update={"id": each}) for each in ids]
    assert short_names([replace(proof, assignment=each) for each in named]) == names


@pytest.mark.parametrize("count", [0, 1, 5, 12, 100])
def test_what_is_handed_over_together_grows_small_towards_the_end(count):
    parts = [*in_parts(range(count), 2)]
    assert [each for part in parts for each in part] == [*range(count)]
    assert max(map(len, parts), default=0) == min(12, max(1, count // 4)) * bool(count)
    assert [len(each) for each in parts[-4:]] == [1] * min(4, count)
