"""An entry takes its place in course.yml, and nothing else moves."""

import pytest
import yaml

from autograder.template.entry import NoPlace, scalar, with_entry

ENTRY = """\
  squares:
    title: Squares
    # dates:
    #   due: never
    items:
      area:
        points: 2
"""
ADDED = {"title": "Squares", "items": {"area": {"points": 2}}}
TEXTS = {
    "the last key": "name: A\nassignments:\n  cubes:\n    title: Cubes\n",
    "no line end": "name: A\nassignments:\n  cubes:\n    title: Cubes",
    "another key behind it": "assignments:\n  cubes:\n    title: C\n\n# the limits\nlimits: 1\n",
    "indented by four": "assignments:\n    cubes:\n        title: Cubes\nlimits: 1\n",
    "indented by two, then four": "assignments:\n  cubes:\n      title: Cubes\n",
    "indented by one": "assignments:\n cubes:\n  title: Cubes\n  items:\n   a: 1\n",
    "a comment of its own": "assignments:\n  cubes:\n    title: C\n    # manual:\n    #   a: 1\n",
    "a comment of the next": "assignments:\n  cubes:\n    title: C\n\n# next\nlimits:\n  a: 1\n",
    "a list in brackets": "assignments:\n  cubes:\n    files: [a,\n      b]\nlimits: 1\n",
    "a list of lines": "assignments:\n  cubes:\n    files:\n    - a\n    - b\nlimits: 1\n",
    "many lines of text": "assignments:\n  cubes:\n    title: |\n      C\n      D\n\nlimits: 1\n",
    "a folded text": "assignments:\n  cubes:\n    title: >-\n      C\n      D\n",
    "a text in quotes": 'assignments:\n  cubes:\n    title: "C\n      D"\nlimits: 1\n',
    "nothing behind a key": "assignments:\n  cubes:\n    title:\nlimits: 1\n",
    "braces below": "assignments:\n  cubes: {title: Cubes}\n",
    "no assignment yet": "name: A\nassignments:\n",
    "no assignment yet, and more": "assignments:   # none\n  # comes soon\nlimits: 1\n",
    "line ends of Windows": "name: A\r\nassignments:\r\n  cubes:\r\n    title: Cubes\r\n",
    "the end of a document": "---\nassignments:\n  cubes:\n    title: Cubes\n...\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_entry_stands_behind_the_last_and_nothing_else_moves(text):
    after = with_entry(text, "squares", ENTRY)
    old, new = yaml.safe_load(text), yaml.safe_load(after)
    assert list(new["assignments"])[-1] == "squares"
    assert new["assignments"].pop("squares") == ADDED
    assert new == old | {"assignments": old["assignments"] or {}}
    before, lines = text.splitlines(), after.splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip() == "squares:")
    del lines[at : at + len(ENTRY.splitlines())]
    assert lines == before
    assert after.count("\r\n") in (0, after.count("\n"))


def test_it_is_indented_as_the_others_are():
    assert "\n    squares:\n        title: Squares\n        # dates:\n" in with_entry(
        TEXTS["indented by four"], "squares", ENTRY
    )
    assert "\n  squares:\n      title: Squares\n" in with_entry(
        TEXTS["indented by two, then four"], "squares", ENTRY
    )


def test_a_comment_stays_with_what_it_is_about():
    after = with_entry(TEXTS["a comment of its own"], "squares", ENTRY)
    assert after.index("#   a: 1") < after.index("squares:")
    after = with_entry(TEXTS["a comment of the next"], "squares", ENTRY)
    assert after.index("squares:") < after.index("# next")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("name: A\nassignments: {a: {b: 1}}\n", 2, "not in braces"),
        ("name: A\nassignments: none\n", 2, "not in braces"),
        ("name: A\nlimits:\n  a: 1\n", 3, "there is no `assignments`"),
        ("", 1, "there is no `assignments`"),
        ("assignments:\n  a: 1\n  squares:\n    title: S\n", 3, "squares stands here already"),
    ],
)
def test_where_there_is_no_place_it_says_so(text, line, said):
    with pytest.raises(NoPlace, match=said) as raised:
        with_entry(text, "squares", ENTRY)
    assert raised.value.line == line


@pytest.mark.parametrize(
    "text",
    [
        "Squares",
        "Squares: an idea",
        "# 1",
        "7",
        "yes",
        "a # b",
        '"',
        "it's",
        "ends with \\",
        "Käse",
    ],
)
def test_a_title_is_read_as_it_was_given(text):
    assert yaml.safe_load(f"title: {scalar(text)}\nnext: 1") == {"title": text, "next": 1}
    assert (scalar(text) == text) is (text in ("Squares", "it's", "ends with \\", "Käse"))
