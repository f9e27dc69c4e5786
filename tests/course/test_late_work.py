"""What course.yml says of late work, and what it comes to for a student over the whole course."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from good_course import A1, edited
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course.dates import Late, as_words, days_begun
from autograder.course.lateness import Due, lateness
from autograder.course.manifest import read_course

LIMITS = "{wall_seconds: 9, call_seconds: 5, memory_mib: 99, processes: 1, output_bytes: 9999}"
ITEMS = "items: {one: {title: One, points: 10, visibility: public, tolerance: 0.1}}"
DUE = datetime(2027, 2, 8, 12, tzinfo=UTC)


def course_of(folder, late, late_days=0, own="", count=3):
    """A course of assignments a0, a1, a2, each due a week after the last; a2 stands first."""
    text = f"name: A\nlimits: {LIMITS}\nlate: {late}\nlate_days: {late_days}\nassignments:\n"
    for number in reversed(range(count)):
        due = DUE + timedelta(weeks=number)
        dates = f"dates: {{released: 2027-01-01T00:00:00Z, due: {due:%Y-%m-%dT%H:%M:%SZ}}}"
        text += f"  a{number}:\n    title: A\n    {dates}\n    {ITEMS}\n"
        text += f"    late: {own}\n" if own and number == 2 else ""
    folder.mkdir(exist_ok=True)
    (folder / "course.yml").write_text(text)
    return read_course(folder)


def late_by(**days):
    """Hand-ins so many days late."""
    dues = {name: DUE + timedelta(weeks=int(name[1:])) for name in days}
    return {name: Due(dues[name] + timedelta(days=late), dues[name]) for name, late in days.items()}


WRONG = [
    ("late: {percent_per_day: 101}", "late.percent_per_day must be at least 0 and at most 100"),
    ("late: {percent_per_day: -1}", "late.percent_per_day must be at least 0 and at most 100"),
    ("late: {grace_minutes: -5}", "late.grace_minutes must be at least 0, got -5"),
    ("late: {percent_at_most: 0}", "late.percent_at_most must be above 0 and at most 100, got 0"),
    ("late: {late_days_at_most: 1.5}", "late.late_days_at_most must be a whole number, at least 0"),
    ("late: {percent_of: all}", "late.percent_of must be points or score, got the text 'all'"),
    ("late: {per_day: 10}", "late.per_day is not a known key; did you mean percent_per_day?"),
    ("late: zero", "late must be a mapping (keys: grace_minutes, percent_per_day"),
    ("late_days: -1", "late_days must be at least 0, got -1"),
    ("late_days: 3", "late_days must be 0 where late.percent_per_day is 0 or not there, got 3"),
]


@pytest.mark.parametrize(("line", "told"), WRONG)
def test_a_wrong_policy_is_told_with_its_line(refusal, line, told):
    (problem,) = refusal(edited({1: f"name: A\n{line}"}))
    assert problem.startswith(f"course.yml:2: {told}")


def test_an_assignment_may_be_of_its_own(refusal, tmp_path):
    (problem,) = refusal(edited({14: "late: {percent_at_most: 200}\n    limits:"}))
    assert problem.startswith(f"course.yml:14: {A1}.late.percent_at_most must be above 0")
    # What is wrong with the course's own is told once.
    assert len(refusal(edited({1: "name: A\nlate: {grace_minutes: -5}"}))) == 1
    course = course_of(tmp_path, "{percent_per_day: 10}", own="{grace_minutes: 5}")
    both = course.assignment("a2").late
    assert (both.percent_per_day, both.grace_minutes) == (10, 5)
    assert course.assignment("a1").late.grace_minutes == 0


def test_what_is_dropped_is_worth_nothing_and_what_is_extra_adds_above(read, refusal):
    assignment = read(edited({21: "points: 2\n        dropped: its check was wrong"})).assignments[
        0
    ]
    assert (assignment.items[0].points, assignment.max_score) == (0, 3.5)
    assignment = read(edited({21: "points: 2\n        extra: true"})).assignments[0]
    assert (assignment.items[0].points, assignment.max_score) == (2, 3.5)
    (problem,) = refusal(edited({21: "points: 2\n        dropped: true"}))
    assert "dropped must be the reason, a text, got the truth value true" in problem
    (problem,) = refusal(edited({21: "points: -2\n        dropped: bad"}))
    assert "points must be at least 0, got -2" in problem


@pytest.mark.parametrize(
    ("days", "begun"), [(-1, 0), (0, 0), (1e-6, 1), (1, 1), (1.00001, 2), (2.5, 3)]
)
def test_a_day_that_has_begun_counts(days, begun):
    assert days_begun(timedelta(days=days)) == begun


def test_what_it_costs():
    late = Late(percent_per_day=10, percent_at_most=25)
    assert [late.costs(days, 20, 16) for days in (0, 1, 2, 3, 9)] == [0, 2, 4, 5, 5]
    assert Late(percent_per_day=10, percent_of="score").costs(1, 20, 16) == 1.6
    # All of it, with what stands above the total.
    assert Late(percent_per_day=100).costs(1, 20, 22) == 22
    assert Late(grace_minutes=5).costs(3, 20, 16) == 0


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({"percent_per_day": 10}, "Each day late costs 10 % of the points."),
        ({"percent_per_day": 100}, "Late work gets no points."),
        ({}, "Late work costs nothing."),
        (
            {"percent_per_day": 100, "percent_at_most": 50, "percent_of": "score"},
            "Each day late costs 100 % of what it gets, 50 % at most.",
        ),
    ],
)
def test_what_students_are_told_of_it(policy, said):
    assert str(Late(**policy)) == said


def test_a_moment_in_words():
    moment = datetime.fromisoformat("2027-02-08T23:59:00+01:00")
    assert as_words(moment) == "Monday, 8 February 2027, 23:59 (UTC+01:00)"
    assert as_words(DUE) == "Monday, 8 February 2027, 12:00 (UTC)"


def test_the_clock_starts_behind_the_grace(tmp_path):
    course = course_of(tmp_path, "{percent_per_day: 10, grace_minutes: 60}")
    hour = 1 / 24
    found = lateness(course, late_by(a0=hour, a1=hour * 2, a2=1 + hour))
    assert [found[name].days for name in ("a0", "a1", "a2")] == [0, 1, 1]
    assert found["a1"].by == timedelta(hours=1)


def test_late_days_go_to_what_was_due_first(tmp_path):
    course = course_of(tmp_path, "{percent_per_day: 10}", late_days=3)
    found = lateness(course, late_by(a2=2, a0=2, a1=0.5))
    assert {name: (each.late_days, each.left, each.days) for name, each in found.items()} == {
        "a0": (2, 1, 0),
        "a1": (1, 0, 0),
        "a2": (0, 0, 2),
    }
    course = course_of(tmp_path, "{percent_per_day: 10, late_days_at_most: 1}", late_days=3)
    assert [each.late_days for each in lateness(course, late_by(a0=3, a1=3)).values()] == [1, 1]


def test_no_late_day_goes_where_it_changes_nothing(tmp_path):
    course = course_of(tmp_path, "{percent_per_day: 100}", late_days=2)
    found = lateness(course, late_by(a0=5, a1=2))
    assert [(each.late_days, each.days) for each in found.values()] == [(0, 5), (2, 0)]
    course = course_of(tmp_path, "{percent_per_day: 10, percent_at_most: 20}", late_days=2)
    assert lateness(course, late_by(a0=9))["a0"].late_days == 0
    free = course_of(tmp_path, "{percent_per_day: 10}", 2, own="{percent_per_day: 0}")
    assert lateness(free, late_by(a2=1))["a2"].late_days == 0


def test_no_late_day_goes_where_the_points_are_lost_anyway(tmp_path):
    course = course_of(tmp_path, "{percent_per_day: 10}", late_days=2)  # 10 points each

    def spent(days, score):
        due = late_by(a0=days, a1=2)
        found = lateness(course, due | {"a0": replace(due["a0"], score=score)})
        return found["a0"].late_days, found["a1"].late_days

    assert spent(5, 0) == (0, 2)
    assert spent(5, 2) == (0, 2)  # of 2 points, 5 days take as much as 3
    assert spent(5, 3.5) == (2, 0)
    assert spent(3, 2) == (2, 0)
    assert spent(5, None) == (2, 0)  # people have yet to give points
    course = course_of(tmp_path / "share", "{percent_per_day: 10, percent_of: score}", 2)
    assert (spent(5, 0), spent(5, 1)) == ((0, 2), (2, 0))


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(st.sampled_from(["a0", "a1", "a2"]), st.floats(-2, 9)),
    st.integers(0, 6),
    st.integers(0, 100),
    st.integers(1, 100),
    st.none() | st.floats(0, 10),
)
def test_whoever_hands_in_later_never_pays_less(tmp_path_factory, days, budget, daily, cap, score):
    policy = f"{{percent_per_day: {daily}, percent_at_most: {cap}}}"
    course = course_of(tmp_path_factory.mktemp("c"), policy, budget if daily else 0)

    def of(days):
        dues = late_by(**days)
        return lateness(course, {name: replace(each, score=score) for name, each in dues.items()})

    def costs(each):
        most = 10 if score is None else score
        return min(most, course.late.costs(each.days, 10, most))

    found = of(days)
    assert sum(each.late_days for each in found.values()) <= course.late_days
    for name, each in found.items():
        assert 0 <= each.days <= days_begun(timedelta(days=max(0, days[name]) + 1e-9))
        assert costs(of(days | {name: days[name] + 1})[name]) >= costs(each)
