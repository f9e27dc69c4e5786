"""Machines that share the work: each tries its own part, and together they try everything."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.proof import ALL, Shard, prove
from autograder.proof.pool import open_pool
from autograder.proof.proven import (
    MOST_COSTS_IN_THE_MEAN,
    Graded,
    Proof,
    Told,
    problem_of_all,
)
from autograder.sandbox import walls

NAMES = [str(number) for number in range(1000)]


def test_the_parts_are_all_and_share_nothing():
    parts = [[each for each in NAMES if Shard(number, 20).has(each)] for number in range(1, 21)]
    assert sorted(each for part in parts for each in part) == sorted(NAMES)
    assert all(30 < len(part) < 70 for part in parts)
    assert all(map(ALL.has, NAMES))


def test_it_is_read():
    assert Shard.read("2/3") == Shard(2, 3)
    assert Shard.read("1/1") == ALL


@pytest.mark.parametrize("text", ["", "2", "3/2", "0/2", "1/0", "-1/2", "1/x", "1/2/3", "½/2"])
def test_what_is_no_part_is_told(text):
    with pytest.raises(ValueError, match=r"must be a part of so many, such as 2/3; got "):
        Shard.read(text)


def test_the_command_line_says_what_it_must_be():
    done = CliRunner().invoke(app, ["prove", "--shard", "4/3"])
    assert done.exit_code == 2
    assert "such as 2/3" in " ".join(done.output.split())


def test_a_proof_hands_in_its_part(course):
    half = [Shard(number, 2) for number in (1, 2)]
    some = "hand_example"

    def chosen(faults):
        return len(faults) == 1 and faults[0].component == some

    with open_pool(course, walls.choose(), 1) as pool:
        parts = [
            prove(course, "a1_attention", pool, lambda done, of: None, chosen, each)
            for each in half
        ]
    names = [{each.faults[0].id for each in part.singles} for part in parts]
    component = next(x for x in parts[0].components if x.name == some)
    assert names[0].isdisjoint(names[1])
    assert names[0] | names[1] == {each.id for each in component.faults}
    assert all(names)


def test_what_all_faults_cost_in_the_mean_is_no_matter_of_one_part(exam):
    dear = Graded((), (), Told.NAMED, (), MOST_COSTS_IN_THE_MEAN + 0.01)
    whole = Proof(exam.assignment, (), (dear,), (), {}, {})
    assert "on average" in problem_of_all([whole])
    assert problem_of_all([replace(whole, shard=Shard(1, 2))]) is None
