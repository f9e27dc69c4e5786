"""Every mistake in course.yml is told by line, key and value."""

import pytest
from good_course import A1, ITEM, edited, with_manual
from hypothesis import given, settings
from hypothesis import strategies as st

MOMENT = "a date and time with its UTC offset, such as 2027-02-01T09:00:00+01:00"
ID = "must be lower-case letters, digits and underscores, the first a letter, got"
LIMITS_KEYS = "wall_seconds, call_seconds, memory_mib, processes, output_bytes"
ASSIGNMENT_KEYS = (
    "title, items, manual, limits, dates, late, at_once, weight, extra, estimate, banned, "
    "banned_in, carried_share, charge, locate, feedback, answers, "
    "diagnose_in_notebook, files, handed_in"
)
ITEM_KEYS = "title, dropped, points, extra, visibility, tolerance"
COURSE_KEYS = "name, limits, late, late_days, handout, at_once, assignments"

POINTS = f"{ITEM}.points must be a finite number, at least 0"
TOLERANCE = f"{ITEM}.tolerance must be a number, above 0 and below 1"
BANNED = f"{A1}.banned must be a list of dotted names such as torch.nn.Linear"
BLANK = "must be a text that is not blank, got"
LONG = "9" * 5000

# A line of GOOD, what stands there instead, and what is told of this line.
VALUES = [
    # Numbers out of their bounds.
    (21, "points: -2", f"{ITEM}.points must be at least 0, got -2"),
    (23, "tolerance: 0", f"{ITEM}.tolerance must be above 0 and below 1, got 0"),
    (23, "tolerance: 1", f"{ITEM}.tolerance must be above 0 and below 1, got 1"),
    (3, "wall_seconds: 3601", "limits.wall_seconds must be above 0 and at most 3600, got 3601"),
    (4, "call_seconds: 0", "limits.call_seconds must be above 0, got 0"),
    (4, "call_seconds: 30.5", "limits.call_seconds must be at most wall_seconds (30), got 30.5"),
    (5, "memory_mib: 63", "limits.memory_mib must be at least 64 and at most 65536, got 63"),
    (5, "memory_mib: 65537", "limits.memory_mib must be at least 64 and at most 65536, got 65537"),
    (6, "processes: 0", "limits.processes must be at least 1 and at most 64, got 0"),
    (6, "processes: 65", "limits.processes must be at least 1 and at most 64, got 65"),
    (
        7,
        "output_bytes: 1023",
        "limits.output_bytes must be at least 1024 and at most 1073741824, got 1023",
    ),
    (
        7,
        "output_bytes: 1073741825",
        "limits.output_bytes must be at least 1024 and at most 1073741824, got 1073741825",
    ),
    # What is no number, or no finite one.
    (21, "points: true", f"{POINTS}, got the truth value true"),
    (21, "points: yes", f"{POINTS}, got the truth value yes"),
    (21, "points: '2'", f"{POINTS}, got the text '2'"),
    (21, "points: two", f"{POINTS}, got the text 'two'"),
    (21, "points: .nan", f"{POINTS}, got .nan"),
    (21, "points: .inf", f"{POINTS}, got .inf"),
    (21, "points: 1.0e+999", f"{POINTS}, got 1.0e+999"),
    (21, f"points: {LONG}", f"{POINTS}, got {LONG[:57]}..."),
    (21, f"points: {'1:' * 300}1.5", f"{POINTS}, got {('1:' * 300)[:57]}..."),
    (21, "points: !!int x", f"{POINTS}, got x"),
    (21, "points: !!bool x", f"{POINTS}, got the truth value x"),
    (21, "points: !!timestamp x", f"{POINTS}, got x"),
    (21, "points:", f"{POINTS}, got nothing"),
    (21, "points: [2]", f"{POINTS}, got a list"),
    (21, "points: {}", f"{POINTS}, got an empty mapping"),
    (23, "tolerance: 1e-12", f"{TOLERANCE}, got the text '1e-12'; YAML needs a dot: 1.0e-12"),
    (23, "tolerance: 1e3", f"{TOLERANCE}, got the text '1e3'; YAML needs a dot: 1.0e+3"),
    (23, "tolerance: 1.5e5", f"{TOLERANCE}, got the text '1.5e5'; YAML needs a sign: 1.5e+5"),
    (23, "tolerance: '1e-12'", f"{TOLERANCE}, got the text '1e-12'"),
    (
        5,
        "memory_mib: 64.0",
        "limits.memory_mib must be a whole number of MiB, at least 64 and at most 65536, got 64.0",
    ),
    (
        6,
        "processes: true",
        "limits.processes must be a whole number, at least 1 and at most 64, "
        "got the truth value true",
    ),
    # An override is wrong where it stands; so is one that an inherited limit does not fit.
    (15, "memory_mib: 1", f"{A1}.limits.memory_mib must be at least 64 and at most 65536, got 1"),
    (
        15,
        "call_seconds: 31",
        f"{A1}.limits.call_seconds must be at most wall_seconds (30), got 31",
    ),
    (15, "wall_seconds: 4", f"{A1}.limits.call_seconds must be at most wall_seconds (4), got 5"),
    # Texts.
    (1, "name: ''", f"name {BLANK} the text ''"),
    (1, "name: 2027", f"name {BLANK} 2027"),
    (10, "title: '  '", f"{A1}.title {BLANK} the text '  '"),
    (20, "title: no", f"{ITEM}.title {BLANK} the truth value no"),
    (20, "title: [a]", f"{ITEM}.title {BLANK} a list"),
    (
        22,
        "visibility: secret",
        f"{ITEM}.visibility must be public or hidden, got the text 'secret'",
    ),
    (
        22,
        "visibility: Public",
        f"{ITEM}.visibility must be public or hidden, got the text 'Public'",
    ),
    (17, "- softmax", f"{BANNED}, got the text 'softmax'"),
    (17, "- torch..nn", f"{BANNED}, got the text 'torch..nn'"),
    (17, "- 3", f"{BANNED}, got 3"),
    (17, "- {a: b}", f"{BANNED}, got a mapping"),
    (17, "- !!binary dG9yY2gubm4=", f"{BANNED}, got dG9yY2gubm4="),
    # Dates.
    (12, "released: 2027-02-01", f"{A1}.dates.released must be {MOMENT}, got 2027-02-01"),
    (
        12,
        "released: 2027-02-01T09:00:00",
        f"{A1}.dates.released must be {MOMENT}, got 2027-02-01T09:00:00",
    ),
    (
        12,
        "released: 2027-02-30T09:00:00Z",
        f"{A1}.dates.released must be {MOMENT}, got 2027-02-30T09:00:00Z",
    ),
    (
        12,
        "released: 2027-02-01T09:00Z",
        f"{A1}.dates.released must be {MOMENT}, got the text '2027-02-01T09:00Z'",
    ),
    (
        13,
        "due: 2027-02-01T08:00:00Z",
        f"{A1}.dates.due must be after released (2027-02-01 09:00:00+01:00), "
        "got 2027-02-01 08:00:00+00:00",
    ),
]


@pytest.mark.parametrize(("line", "text", "told"), VALUES, ids=[text[:30] for _, text, _ in VALUES])
def test_a_wrong_value_is_told_with_its_line_and_what_is_allowed(refusal, line, text, told):
    assert refusal(edited({line: text})) == [f"course.yml:{line}: {told}"]


# Changes to lines of GOOD, and all that is told of them.
SHAPES = [
    # Keys that are unknown, missing or there twice.
    (
        {3: "wall_second: 30"},
        "2: limits.wall_seconds is missing; it must be a number of seconds, "
        "above 0 and at most 3600",
        "3: limits.wall_second is not a known key; did you mean wall_seconds? "
        f"(known: {LIMITS_KEYS})",
    ),
    (
        {21: "colour: red"},
        f"19: {ITEM}.points is missing; it must be a finite number, at least 0",
        f"21: {ITEM}.colour is not a known key (known: {ITEM_KEYS})",
    ),
    (
        {10: "Title: Attention"},
        f"9: {A1}.title is missing; it must be a text that is not blank",
        f"10: {A1}.Title is not a known key; did you mean title? (known: {ASSIGNMENT_KEYS})",
    ),
    (
        {12: "release: 2027-02-01T09:00:00Z"},
        f"11: {A1}.dates.released is missing; it must be {MOMENT}",
        f"12: {A1}.dates.release is not a known key; did you mean released? (known: released, due)",
    ),
    (
        {1: "naem: A course"},
        f"1: naem is not a known key; did you mean name? (known: {COURSE_KEYS})",
        "1: name is missing; it must be a text that is not blank",
    ),
    (
        {15: "memory: 2048"},
        f"15: {A1}.limits.memory is not a known key; did you mean memory_mib? "
        f"(known: {LIMITS_KEYS})",
    ),
    ({22: ""}, f"19: {ITEM}.visibility is missing; it must be public or hidden"),
    (
        {4: "wall_seconds: 20"},
        "2: limits.call_seconds is missing; it must be a number of seconds, above 0",
        "4: limits.wall_seconds stands twice, first on line 3",
    ),
    ({24: "attention_scale:"}, f"24: {ITEM} stands twice, first on line 19"),
    (
        {21: "points: 2\n        points: 3\n        points: 4"},
        f"22: {ITEM}.points stands twice, first on line 21",
        f"23: {ITEM}.points stands twice, first on line 21",
    ),
    # Keys that would overwrite what reading fills in.
    ({1: "name: x\nroot: /"}, "2: root is not a known key"),
    ({10: "title: x\n    id: a2"}, f"11: {A1}.id is not a known key"),
    ({20: "title: x\n        id: y"}, f"21: {ITEM}.id is not a known key"),
    ({15: "id: y"}, f"15: {A1}.limits.id is not a known key (known: {LIMITS_KEYS})"),
    # Ids.
    ({9: "A1:"}, f"9: assignments.A1 {ID} 'A1'"),
    ({9: "1:"}, f"9: assignments.1 {ID} '1'"),
    ({19: "the scale:"}, f"19: {A1}.items.the scale {ID} 'the scale'"),
    ({19: "scale-1:"}, f"19: {A1}.items.scale-1 {ID} 'scale-1'"),
    ({19: '"scale\\n":'}, "19: cannot be read as YAML: a key must be a plain text"),
    # Mappings and lists that are something else.
    ({14: "limits: 5", 15: ""}, f"14: {A1}.limits must be a mapping (keys: {LIMITS_KEYS}), got 5"),
    (
        {11: "dates: soon", 12: "", 13: ""},
        f"11: {A1}.dates must be a mapping (keys: released, due), got the text 'soon'",
    ),
    ({16: "banned: torch.nn.GRU", 17: ""}, f"16: {BANNED}, got the text 'torch.nn.GRU'"),
    ({16: "banned:", 17: ""}, f"16: {BANNED}, got nothing"),
    (
        {14: "carried_share: 1.5\n    limits:"},
        f"14: {A1}.carried_share must be at least 0 and at most 1, got 1.5",
    ),
    (
        {14: "estimate: ' '\n    limits:"},
        f"14: {A1}.estimate must be a text such as two evenings, got the text ' '",
    ),
    (
        {14: "banned_in:\n      Layer: torch.nn.GRU\n    limits:"},
        f"15: {A1}.banned_in.Layer must be a mapping of names to lists of dotted names, "
        "got the text 'torch.nn.GRU'",
    ),
    (
        {14: "files: [../x]\n    limits:"},
        f"14: {A1}.files must be a list of file names such as table.tsv, got the text '../x'",
    ),
    (
        {14: "manual:\n      report:\n        title: R\n    limits:"},
        f"15: {A1}.manual.report.points is missing; it must be a finite number, at least 0",
    ),
    (
        {14: "manual:\n      attention_mask: {title: R, points: 1}\n    limits:"},
        f"14: {A1}.manual must not have the ids of items, has attention_mask",
    ),
    ({21: "points:\n          -2"}, f"22: {ITEM}.points must be at least 0, got -2"),
    ({17: "- math.sin\n      - c"}, f"18: {BANNED}, got the text 'c'"),
    (
        {19: "attention_scale: 5", 20: "", 21: "", 22: "", 23: ""},
        f"19: {ITEM} must be a mapping (keys: {ITEM_KEYS}), got 5",
    ),
    (
        {18: "items: {}", **dict.fromkeys(range(19, 29), "")},
        f"18: {A1}.items must be a mapping of ids to items, got an empty mapping",
    ),
    (
        {18: "items: [attention_scale]", **dict.fromkeys(range(19, 29), "")},
        f"18: {A1}.items must be a mapping of ids to items, got a list",
    ),
    (
        dict.fromkeys(range(18, 29), ""),
        f"9: {A1}.items is missing; it must be a mapping of ids to items",
    ),
    (
        {8: "assignments: {}", **dict.fromkeys(range(9, 29), "")},
        "8: assignments must be a mapping of ids to assignments, got an empty mapping",
    ),
    (
        {9: "a1_attention:", **dict.fromkeys(range(10, 29), "")},
        f"9: {A1} must be a mapping (keys: {ASSIGNMENT_KEYS}), got nothing",
    ),
    # The course's own limits are told once, not again for each assignment that inherits them.
    (
        dict.fromkeys(range(2, 8), ""),
        f"1: limits is missing; it must be a mapping (keys: {LIMITS_KEYS})",
    ),
    (
        {2: "limits: 5", **dict.fromkeys(range(3, 8), "")},
        f"2: limits must be a mapping (keys: {LIMITS_KEYS}), got 5",
    ),
]


@pytest.mark.parametrize("case", SHAPES, ids=[str(next(iter(c[0].items())))[:40] for c in SHAPES])
def test_a_wrong_shape_is_told_with_its_line_and_what_is_allowed(refusal, case):
    changes, *told = case
    assert refusal(edited(changes)) == [f"course.yml:{problem}" for problem in told]


def test_problems_of_every_kind_are_told_in_one_run(refusal):
    text = edited(
        {
            4: "call_seconds: 31",
            5: "memory_mib: lots",
            13: "due: 2027-02-08",
            15: "processes: 0",
            17: "- Transformer",
            19: "Scale:",
            21: "points: -2",
            26: "points: 1\n        points: 1",
            28: "tolerance: 1e-3\nnmae: x",
        }
    )
    assert refusal(text) == [
        "course.yml:4: limits.call_seconds must be at most wall_seconds (30), got 31",
        "course.yml:5: limits.memory_mib must be a whole number of MiB, at least 64 and "
        "at most 65536, got the text 'lots'",
        f"course.yml:13: {A1}.dates.due must be {MOMENT}, got 2027-02-08",
        f"course.yml:15: {A1}.limits.processes must be at least 1 and at most 64, got 0",
        f"course.yml:17: {BANNED}, got the text 'Transformer'",
        f"course.yml:19: {A1}.items.Scale {ID} 'Scale'",
        f"course.yml:21: {A1}.items.Scale.points must be at least 0, got -2",
        f"course.yml:27: {A1}.items.attention_mask.points stands twice, first on line 26",
        f"course.yml:29: {A1}.items.attention_mask.tolerance must be a number, above 0 and "
        "below 1, got the text '1e-3'; YAML needs a dot: 1.0e-3",
        f"course.yml:30: nmae is not a known key; did you mean name? (known: {COURSE_KEYS})",
    ]


# What is wrong with one of these lines may hide or cause what is wrong with another.
TOGETHER = {4: 3, 15: 3, 13: 12}


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(VALUES), unique_by=lambda case: TOGETHER.get(case[0], case[0]), min_size=2
    )
)
def test_any_problems_are_told_together(refusal, cases):
    told = [f"course.yml:{line}: {problem}" for line, _, problem in sorted(cases)]
    assert refusal(edited({line: text for line, text, _ in cases})) == told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "points: 3.5\n",
            "points: -1\n",
            "34: manual.report.points must be at least 0, got -1",
        ),
        (
            "        title: The report\n",
            "",
            "32: manual.report.title is missing; it must be a text that is not blank",
        ),
        (
            "points: 3.5\n",
            "points: 3.5\n        tolerance: 0.1\n",
            "35: manual.report.tolerance is not a known key "
            "(known: title, dropped, points, extra, rubric)",
        ),
        (
            "points: 3.5\n",
            "points: 3.5\n        rubric: Good.\n",
            "35: manual.report.rubric must be a list of lines with points and text, "
            "got the text 'Good.'",
        ),
        (
            "points: 3.5\n",
            "points: 3.5\n        rubric:\n          - {points: 1, text: ' '}\n",
            "36: manual.report.rubric.text must be a text that is not blank, got the text ' '",
        ),
        (
            "      report:\n",
            "      Report:\n",
            "32: manual.Report " + f"{ID} 'Report'",
        ),
        (
            "      report:\n",
            "      attention_mask:\n",
            "31: manual must not have the ids of items, has attention_mask",
        ),
        (
            "- numbers.tsv",
            "- ../numbers.tsv",
            "30: files must be a list of file names such as table.tsv, "
            "got the text '../numbers.tsv'",
        ),
    ],
)
def test_mistakes_in_what_is_graded_by_hand_are_told(refusal, old, new, told):
    head, _, tail = with_manual().rpartition(old)  # the last one is that of MANUAL
    line, _, said = told.partition(": ")
    assert refusal(head + new + tail) == [f"course.yml:{line}: {A1}.{said}"]
