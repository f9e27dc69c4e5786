"""Every attack behind every wall: none wins. What `autograder doctor --attack` runs."""

import pytest

from autograder.proof.attacking import KINDS, Attack, Range, attacks, needed
from autograder.sandbox import walls

FIRST = "a1_attention"


def test_there_are_many_of_every_kind_and_each_says_what_it_does(course):
    found = attacks()
    assert {each.kind for each in found} == {*KINDS}
    assert all(each.about.endswith((".", "?")) for each in found)
    assert len({each.name for each in found}) == len(found)
    assert sum(len(needed(at)) for at in range(len(course.assignments))) >= 150
    assert {each.kind for each in needed(1)} > {"cheat", "corrupt"}


@pytest.fixture(scope="module", params=[*walls.STANDING, "none"])
def place(request, course):
    if reason := walls.why_not(request.param):
        pytest.skip(f"{request.param}: {reason}")
    with Range(course, FIRST, request.param) as found:
        yield found


RIGHT_MASK = """
def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()
"""


def none_wins(place, chosen):
    return [(each.kind, each.name, each.won) for each in place.attacked(chosen) if each.won]


@pytest.mark.slow
@pytest.mark.parametrize("place", walls.STANDING, indirect=True)
def test_no_attack_wins_behind_any_wall(place):
    assert none_wins(place, needed(0)) == []


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])  # two workers share those that take minutes
@pytest.mark.parametrize("at", range(1, 6))
def test_no_attack_wins_on_any_assignment(course, at, half):
    with Range(course, course.assignments[at].id, walls.choose()) as place:
        assert none_wins(place, needed(at)[half::2]) == []


def own(kind, source):
    return Attack(kind, "own", "It is harmless.", source)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["none"], indirect=True)
def test_what_wins_is_seen(place, monkeypatch):
    got_out = own("escape", "raise AssertionError(LOOT)")
    costs = own("deny", "raise_it = 1\nimport torch\ntorch.arange = torch.matmul = None\n")
    points = own("cheat", RIGHT_MASK)
    said = [each.won for each in place.attacked([got_out, costs, points])]
    assert said[0] == "it got out"
    assert said[1].startswith("what it did beside the answers cost")
    assert said[2].endswith("points for no answer")
    honest = place._graded_next
    monkeypatch.setattr(
        place, "_graded_next", lambda: honest() | {"score": 0.0, "student": object()}
    )
    (found,) = place.attacked([own("escape", "pass")])
    assert found.won == "who was graded next got something else than alone"
