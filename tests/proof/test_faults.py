"""The bank of faults: right without a fault, wrong with one, and no two that are the same."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from torch import nn

from autograder.course import source_path
from autograder.course.manifest import read_course
from autograder.diagnosis.comparing import apart, same
from autograder.diagnosis.components import read_components
from autograder.diagnosis.evidence import cannot_be_loaded
from autograder.diagnosis.fault import BadFault
from autograder.diagnosis.search import diagnose
from autograder.grading import prepare
from autograder.notebooks.source import read_source
from autograder.proof.pool import SECRET
from autograder.proof.shows import shows_path, stale_shows, write_shows

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENTS = [each.id for each in read_course(ROOT).assignments]
COMPONENTS = [
    (assignment, component.name)
    for assignment in ASSIGNMENTS
    for component in read_components(read_source(source_path(ROOT, assignment)))
]


@pytest.fixture(scope="module")
def bank_of(course):
    exams = {}

    def bank_of(assignment_id):
        if assignment_id not in exams:
            exams.clear()  # the answers of a bank are many
            exams[assignment_id] = prepare(course, assignment_id, SECRET).bank
        return exams[assignment_id]

    return bank_of


def component_of(bank, name):
    return next(each for each in bank.components if each.name == name)


def test_there_are_more_than_150_faults():
    components = [read_components(read_source(source_path(ROOT, each))) for each in ASSIGNMENTS]
    assert all(components)
    assert sum(len(each.faults) for found in components for each in found) >= 150


# What is lost here is lost elsewhere too, by the item that is meant for it; and weights that were
# handed in have no code to be wrong.
MEANT_FOR_NONE = {
    "a1_attention": {"masks_together"},
    "a6_translation": {"translation_most", "translation_nearly_all"},
}


@pytest.mark.parametrize("assignment_id", ASSIGNMENTS)
def test_every_item_but_these_is_meant_to_catch_a_fault(course, assignment_id):
    components = read_components(read_source(source_path(ROOT, assignment_id)))
    meant = {fault.item for each in components for fault in each.faults}
    items = {item.id for item in course.assignment(assignment_id).items}
    assert items - meant == MEANT_FOR_NONE.get(assignment_id, set())
    assert meant <= items


@pytest.mark.parametrize(("assignment_id", "name"), COMPONENTS)
def test_a_component_without_a_fault_is_right(bank_of, assignment_id, name):
    bank = bank_of(assignment_id)
    component = component_of(bank, name)
    places = bank.cases_of(component)
    assert places
    for place in places:
        case = bank.cases[place]
        found = bank.ask_fault(component, (), case)
        assert same(found, case.right, case), (case.item, case.question, found.failure)


LONG = ("a2_multi_head", "a4_layers", "a5_transformer")


@pytest.mark.parametrize(
    ("assignment_id", "name"),
    [pytest.param(*each, marks=pytest.mark.slow if each[0] in LONG else []) for each in COMPONENTS],
)
def test_no_two_faults_give_the_same_everywhere(bank_of, assignment_id, name):
    bank = bank_of(assignment_id)
    component = component_of(bank, name)
    places = bank.cases_of(component)

    def alike(one, other):
        return all(
            same(
                bank.answer(component, one, place),
                bank.answer(component, other, place),
                bank.cases[place],
            )
            for place in places
        )

    singles = [(fault,) for fault in component.faults]
    for fault in singles:
        assert any(
            apart(bank.answer(component, fault, each), bank.cases[each]) for each in places
        ), f"{fault[0].id} is nowhere far from what is right"
    for one, other in combinations(singles, 2):
        # One mistake in two ways, neither of which can be loaded, differs once its weights fit.
        answers = (bank.answer(component, one, place) for place in places)
        unloaded = one[0].mistake == other[0].mistake and any(map(cannot_be_loaded, answers))
        assert unloaded or not alike(one, other), f"{one[0].id} and {other[0].id} are one"


def test_the_file_says_where_each_fault_shows_or_is_told_to_be_stale(bank_of, course, tmp_path):
    """That of every other assignment is measured by `make prove`."""
    name = "a1_attention"
    bank = bank_of(name)
    measured = {
        component.name: {
            fault.name: dict(bank.shows(component, fault)) for fault in component.faults
        }
        for component in bank.components
    }
    assert stale_shows(ROOT, name, measured) == []
    assert all(
        fault.shows == measured[component.name][fault.name]
        for component in bank.components
        for fault in component.faults
    )
    assert stale_shows(tmp_path, name, measured) == []  # there need not be any
    shows_path(tmp_path, name).parent.mkdir(parents=True)
    path = write_shows(tmp_path, name, measured)
    assert path.read_text() == shows_path(ROOT, name).read_text()
    measured["causal_mask"]["OneRowTooMany"]["causal_mask"] += 1
    (told,) = stale_shows(tmp_path, name, measured)
    assert told.startswith("shows.yml is stale (causal_mask.OneRowTooMany): run `autograder prove")


# What it answers are words, which are others with other weights: then nothing is told of it.
ANSWERS_WITH_WORDS = {"transformer.ReturnsWords"}


def drawing_otherwise(module):
    """The same class, but for the weights that it starts with."""

    class DrawsOtherwise(module):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            for each in self.parameters():
                if each.dim() > 1:
                    nn.init.xavier_uniform_(each)

    return DrawsOtherwise


@pytest.mark.parametrize(
    "name",
    [
        "encoder",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("decoder", "transformer")),
    ],
)
def test_a_fault_is_named_whatever_the_weights_start_with(bank_of, name):
    bank = bank_of("a5_transformer")
    component = component_of(bank, name)
    classes = {each: drawing_otherwise(made) for each, made in component.classes.items()}
    student = replace(component, classes=classes)
    places = bank.cases_of(component)
    items = {bank.cases[place].item for place in places}
    for fault in component.faults[::3]:
        answers = {place: bank.ask_fault(student, (fault,), bank.cases[place]) for place in places}
        found = diagnose(bank, answers, items)
        if fault.id in ANSWERS_WITH_WORDS:
            assert found == {}, fault.id
            continue
        assert {each.faults for each in found.values()} == {(fault,)}, fault.id
        assert found.keys() == fault.shows.keys(), fault.id


@pytest.mark.parametrize(("assignment_id", "name"), COMPONENTS)
def test_a_sentence_says_what_was_done_and_never_the_corrected_code(assignment_id, name):
    components = read_components(read_source(source_path(ROOT, assignment_id)))
    (component,) = (each for each in components if each.name == name)
    # One that inherits from another is the same mistake, written in another way.
    sentences = [
        fault.sentence
        for fault in component.faults
        if component.base in component.classes[fault.name].__bases__
    ]
    assert len(set(sentences)) == len(sentences)
    for fault in component.faults:
        for text in (fault.sentence, fault.thought):
            assert text[-1] in ".?!", text
            assert not re.search(r"return \w+[(.@]|self\.\w+ =|\w = \w+\(", text), text


def test_a_fault_must_say_all_that_it_has_to():
    source = read_source(source_path(ROOT, "a1_attention"))

    def bank_with(more):
        def read(path):
            text = path.read_text()
            return text + more if path.stem == "causal_mask" else text

        return read_components(source, read)

    right = '"""Says.\n\n    Thinks?\n    """'
    for body, said in (
        (f"    {right}\n\n    def compare(self, q, k):\n        return q", "its item"),
        ('    """Says."""\n\n    item = "causal_mask"\n', "a thought"),
        (f'    {right}\n\n    item = "x"\n\n    def other(self):\n        pass', "no step"),
        (f'    {right}\n\n    item = "x"\n', "overrides nothing"),
    ):
        with pytest.raises(BadFault, match=said):
            bank_with(f"\n\nclass New(CausalMask):\n{body}\n")
    with pytest.raises(BadFault, match=r"CausalMask.styles has what is none: \['New'\]"):
        bank_with("\n\nCausalMask.styles = ('New',)\n")
    for made_of in ("{'compare': ('other',)}", "{'other': ('compare',)}"):
        with pytest.raises(
            BadFault, match=r"CausalMask.made_of has steps that are none: \['other'\]"
        ):
            bank_with(f"\n\nCausalMask.made_of = {made_of}\n")
    with pytest.raises(BadFault, match="ZeroDivisionError"):
        bank_with("\n\n1 / 0\n")
