"""course.yml is read as it stands."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from good_course import GOOD, edited, with_manual
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course.manifest import UnknownIdError, read_course

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_course_of_this_repository_reads():
    course = read_course(REPOSITORY)
    raw = yaml.safe_load((REPOSITORY / "course.yml").read_text(encoding="utf-8"))
    assert course.root == REPOSITORY
    assert course.name == raw["name"]
    assert [a.id for a in course.assignments] == list(raw["assignments"])
    for assignment in course.assignments:
        entry = raw["assignments"][assignment.id]
        assert [item.id for item in assignment.items] == list(entry["items"])
        assert assignment.max_score == sum(item["points"] for item in entry["items"].values())
        assert assignment.banned == tuple(entry.get("banned", ()))
        assert assignment.limits.model_dump() == raw["limits"] | entry.get("limits", {})


def test_everything_in_the_file_arrives(read):
    course = read("\n".join(GOOD))
    assignment = course.assignment("a1_attention")
    scale, mask = assignment.items
    assert (course.name, assignment.title) == ("A course", "Attention")
    assert scale.model_dump(exclude_defaults=True) == {
        "id": "attention_scale",
        "title": "The scale",
        "points": 2.0,
        "visibility": "public",
        "tolerance": 1e-12,
    }
    assert (mask.points, mask.visibility, mask.tolerance) == (3.5, "hidden", 0.005)
    assert assignment.max_score == 5.5
    assert assignment.item("attention_mask") is mask
    assert assignment.banned == ("torch.nn.Transformer",)
    assert assignment.dates.released == datetime(2027, 2, 1, 8, tzinfo=UTC)
    assert assignment.dates.due == datetime(2027, 2, 8, 22, 59, tzinfo=UTC)


def test_overridden_limits_are_the_assignments_and_the_rest_are_the_courses(read):
    course = read(edited({15: "call_seconds: 2.5\n      memory_mib: 2048"}))
    assert course.limits.model_dump() == {
        "wall_seconds": 30,
        "call_seconds": 5,
        "memory_mib": 1024,
        "processes": 1,
        "output_bytes": 16777216,
    }
    own = course.assignments[0].limits.model_dump()
    assert own == course.limits.model_dump() | {"call_seconds": 2.5, "memory_mib": 2048}


def test_what_only_some_assignments_have(read):
    more = (
        "manual:\n      report: {title: The report, points: 4}\n    files: [numbers.tsv]\n"
        "    estimate: two evenings\n    carried_share: 0.5\n"
        "    banned_in:\n      Layer: [torch.nn.GRU]\n    limits:"
    )
    (assignment,) = read(edited({14: more})).assignments
    assert assignment.by_hand("report").points == 4
    assert assignment.max_score == 5.5
    assert assignment.files == ("numbers.tsv",)
    assert assignment.estimate == "two evenings"
    assert assignment.carried_share == 0.5
    assert assignment.banned_in == {"Layer": ("torch.nn.GRU",)}
    with pytest.raises(UnknownIdError, match="no 'essay' under manual in a1_attention"):
        assignment.by_hand("essay")


def test_dates_limits_and_banned_may_be_left_out(read):
    text = "\n".join(GOOD[:10] + GOOD[17:])
    assignment = read(text).assignments[0]
    assert assignment.dates is None
    assert assignment.banned == ()
    assert assignment.limits == read(text).limits
    assert read(edited({11: "dates:", 12: "", 13: ""})).assignments[0].dates is None


def test_a_course_cannot_be_changed(read):
    with pytest.raises(ValueError, match="frozen"):
        read(edited({})).assignments[0].items[0].points = 100


def test_an_unknown_id_is_answered_with_the_known_ones(read):
    course = read(edited({}))
    with pytest.raises(UnknownIdError) as caught:
        course.assignment("a9")
    assert str(caught.value) == "no assignment 'a9' in course.yml; it has: a1_attention"
    with pytest.raises(LookupError) as caught:
        course.assignments[0].item("scale")
    assert str(caught.value) == (
        "no item 'scale' in a1_attention; it has: attention_scale, attention_mask"
    )


def test_what_is_graded_by_hand_is_no_item_and_adds_nothing_to_the_score(read):
    assignment = read(with_manual()).assignment("a1_attention")
    (report,) = assignment.manual
    assert report.model_dump(exclude_defaults=True) == {
        "id": "report",
        "title": "The report",
        "points": 3.5,
    }
    assert assignment.by_hand("report") is report
    assert assignment.max_score == 5.5
    assert assignment.files == ("numbers.tsv",)
    with pytest.raises(UnknownIdError, match=r"no 'plot' under manual .* it has: report"):
        assignment.by_hand("plot")
    assert read("\n".join(GOOD)).assignment("a1_attention").manual == ()


def test_lines_of_a_rubric_stand_in_comments_with_what_they_give_or_take(read):
    lines = '[{points: 1.5, text: "Two\\nlines."}, {points: -1, text: No.}, {points: 0, text: Hm.}]'
    old, new = "points: 3.5\n", f"points: 3.5\n        rubric: {lines}\n"
    head, _, tail = with_manual().rpartition(old)
    (report,) = read(head + new + tail).assignment("a1_attention").manual
    assert [line.said for line in report.rubric] == ["Two lines. (+1.5)", "No. (-1)", "Hm."]


IDS = st.from_regex("[a-z][a-z0-9_]*", fullmatch=True)
TITLES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(
    lambda title: title.strip()
)
ITEMS = st.fixed_dictionaries(
    {
        "title": TITLES,
        "points": st.integers(0, 100) | st.floats(0, 1e6),
        "visibility": st.sampled_from(["public", "hidden"]),
        "tolerance": st.floats(0, 1, exclude_min=True, exclude_max=True),
    }
)
ASSIGNMENTS = st.fixed_dictionaries(
    {"title": TITLES, "items": st.dictionaries(IDS, ITEMS, min_size=1, max_size=3)},
    optional={
        "limits": st.fixed_dictionaries(
            {},
            optional={
                "wall_seconds": st.floats(5, 3600),
                "call_seconds": st.floats(0, 5, exclude_min=True),
                "memory_mib": st.integers(64, 65536),
                "processes": st.integers(1, 64),
                "output_bytes": st.integers(1024, 2**30),
            },
        ),
        "banned": st.lists(st.just("torch.nn.Transformer")),
    },
)


@settings(deadline=None)
@given(st.dictionaries(IDS, ASSIGNMENTS, min_size=1, max_size=3))
def test_any_course_that_yaml_can_write_reads_back(read, assignments):
    limits = yaml.safe_load("\n".join(GOOD))["limits"]
    raw = {"name": "x", "limits": limits, "assignments": assignments}
    course = read(yaml.safe_dump(raw, sort_keys=False, allow_unicode=True))
    assert [assignment.id for assignment in course.assignments] == list(assignments)
    for assignment, entry in zip(course.assignments, assignments.values(), strict=True):
        assert assignment.title == entry["title"]
        assert assignment.limits.model_dump() == limits | entry.get("limits", {})
        assert assignment.banned == tuple(entry.get("banned", ()))
        items = [item.model_dump(exclude_defaults=True) for item in assignment.items]
        assert items == [{"id": id, **item} for id, item in entry["items"].items()]
