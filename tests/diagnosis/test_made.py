"""The modules that the bank keeps: whoever is asked on one gives what a new one gives."""

import pytest
import torch
from reference import ROOT
from torch import nn

from autograder.course.manifest import read_course
from autograder.diagnosis.evidence import tensors_of
from autograder.grading import prepare
from autograder.sandbox.made import Modules
from autograder.sandbox.modules import Blueprint, WrongParameters

COURSE = read_course(ROOT)
STEP = {"a4_layers": 12, "a5_transformer": 12}  # whose layers take seconds


class Leaky(nn.Module):
    """Each of its calls leaves something else behind."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.calls = 0

    def forward(self):
        self.calls += 1
        self.layer.bias = None
        self.extra = nn.Linear(1, 1)
        self.train()
        return self.calls


class Another(nn.Module):
    def forward(self):
        return "another"


Another.__name__ = Leaky.__name__
LEAKY = Blueprint("Leaky")


@pytest.fixture
def modules():
    found = Modules()
    found.made_with("a constructor")
    return found


def test_what_a_call_left_is_gone(modules):
    names = {"Leaky": Leaky}
    first = modules.module(LEAKY, names)
    assert first() == 1
    second = modules.module(LEAKY, names)
    assert second is first
    assert not second.training
    assert [name for name, _ in second.named_parameters()] == ["layer.weight", "layer.bias"]
    assert second() == 1


def test_one_with_other_numbers_is_made_anew(modules):
    first = modules.module(LEAKY, {"Leaky": Leaky})
    with torch.no_grad():
        first.layer.weight += 1
    assert modules.module(LEAKY, {"Leaky": Leaky}) is not first


def test_it_has_the_methods_of_the_class_that_is_asked(modules):
    first = modules.module(LEAKY, {"Leaky": Leaky})
    second = modules.module(LEAKY, {"Leaky": Another})
    assert second is first
    assert second() == "another"


def test_other_constructors_other_modules(modules):
    first = modules.module(LEAKY, {"Leaky": Leaky})
    modules.made_with("another constructor")
    assert modules.module(LEAKY, {"Leaky": Leaky}) is not first


def test_what_cannot_be_loaded_is_said_each_time(modules):
    strange = Blueprint("Leaky", weights={"layer.weight": torch.zeros(1)})
    for _ in range(2):
        with pytest.raises(WrongParameters):
            modules.module(strange, {"Leaky": Leaky})


class Of(nn.Module):
    def __init__(self, what):
        super().__init__()
        self.what = what


def test_what_was_passed_is_told_apart(modules):
    for what in (1, 1.0, True, [1]):
        made = modules.module(Blueprint("Of", (what,)), {"Of": Of})
        assert type(made.what) is type(what)


class New(Modules):
    """Keeps nothing."""

    def made_with(self, makers):
        pass

    def module(self, blueprint, names):
        return blueprint.make(names)


def alike(one, other):
    """Whether two answers are the same to the last bit."""
    theirs = [*tensors_of(one)], [*tensors_of(other)]
    return (
        one.failure == other.failure
        and (one.changed, one.elsewhere, one.mode_changed, one.watched)
        == (other.changed, other.elsewhere, other.mode_changed, other.watched)
        and len(theirs[0]) == len(theirs[1])
        and all(
            x.dtype == y.dtype
            and x.shape == y.shape
            and torch.equal(x.nan_to_num(), y.nan_to_num())
            for x, y in zip(*theirs, strict=True)
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [each.id for each in COURSE.assignments])
def test_every_fault_gives_what_it_gives_on_new_modules(name):
    kept, new = (prepare(COURSE, name, "for the tests alone").bank for _ in range(2))
    differ = []
    for here, there in zip(kept.components, new.components, strict=True):
        object.__setattr__(there, "_modules", New())
        pairs = (some_of(*each, STEP.get(name, 5)) for each in ((kept, here), (new, there)))
        for one, same in zip(*pairs, strict=True):
            for place in kept.cases_of(here):
                answers = kept.answer(here, (one,), place), new.answer(there, (same,), place)
                if not alike(*answers):
                    differ.append((one.id, kept.cases[place].item))
    assert not differ


def some_of(bank, component, step):
    """Some of a component's faults, and of those that it may have from others."""
    return [*component.faults, *bank.built_on(component)][::step]
