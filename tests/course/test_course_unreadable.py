"""What is no manifest is refused with its line; what is merely odd about a file does no harm."""

import pytest
from good_course import GOOD, ITEM, edited
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autograder.course.manifest import ManifestError, read_course

COURSE_KEYS = "name, limits, late, late_days, handout, at_once, assignments"

UNREADABLE = {
    "nothing": ("", f"course.yml:1: must be a mapping (keys: {COURSE_KEYS}), got nothing"),
    "a comment": ("# x\n", f"course.yml:1: must be a mapping (keys: {COURSE_KEYS}), got nothing"),
    "a list": ("- name", f"course.yml:1: must be a mapping (keys: {COURSE_KEYS}), got a list"),
    "a text": (
        "name",
        f"course.yml:1: must be a mapping (keys: {COURSE_KEYS}), got the text 'name'",
    ),
    "an open bracket": (
        "name: x\nlimits: [\n",
        "course.yml:3: cannot be read as YAML: while parsing a flow node, "
        "expected the node content, but found '<stream end>'",
    ),
    "a tab": (
        "name: x\nlimits:\n\twall_seconds: 3\n",
        "course.yml:3: cannot be read as YAML: while scanning for the next token, "
        "found character '\\t' that cannot start any token",
    ),
    "two documents": (
        "name: x\n---\nname: y\n",
        "course.yml:2: cannot be read as YAML: expected a single document in the stream, "
        "but found another document",
    ),
    "a control character": (
        "name: x\nlimits: \x01\n",
        "course.yml:2: cannot be read as YAML: special characters are not allowed",
    ),
    "not UTF-8": (
        b"name: x\nlimits: \xff\n",
        "course.yml:2: cannot be read as YAML: byte 0xff is not UTF-8",
    ),
    "a bomb": (
        "name: &a [x, x]\nlimits: [*a, *a]\n",
        "course.yml:2: cannot be read as YAML: an alias is not allowed; repeat the value",
    ),
    "itself": (
        "name: &a\n  b: *a\n",
        "course.yml:2: cannot be read as YAML: an alias is not allowed; repeat the value",
    ),
    "a merge": (
        "name: &a {}\nlimits:\n  <<: *a\n",
        "course.yml:3: cannot be read as YAML: an alias is not allowed; repeat the value",
    ),
    "a key that is a list": (
        "name: x\n? [a]\n: b\n",
        "course.yml:2: cannot be read as YAML: a key must be a plain text",
    ),
    "a tag": (
        "name: x\nlimits: !!python/name:os.system ''\n",
        "course.yml:2: cannot be read as YAML: could not determine a constructor for the tag "
        "'tag:yaml.org,2002:python/name:os.system'",
    ),
    "no such character": (
        'name: "\\Uffffffff"\n',
        "course.yml: cannot be read as YAML: Python int too large to convert to C int",
    ),
    "a flood": (
        "#" * (2**20 + 1),
        "course.yml: must be at most 1048576 bytes, is longer",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_is_no_manifest_is_refused(refusal, case):
    text, told = UNREADABLE[case]
    assert refusal(text) == [told]


def test_what_is_nested_too_deep_is_refused(refusal):
    [told] = refusal("[" * 5000 + "]" * 5000)
    # How Python goes on after "exceeded" depends on where it gave up.
    assert told.startswith("course.yml: cannot be read as YAML: maximum recursion depth exceeded")


def test_a_file_of_the_largest_size_reads(read):
    text = edited({})
    assert read(text + "#" * (2**20 - len(text))).name == "A course"


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(read, refusal):
    text = "\ufeff" + edited({}).replace("\n", "\r\n")
    assert read(text) == read(edited({}))
    told = f"course.yml:21: {ITEM}.points must be at least 0, got -2"
    assert refusal(text.replace("points: 2", "points: -2")) == [told]


def test_a_tag_never_runs_code(refusal, tmp_path):
    victim = tmp_path / "victim"
    path = f"!!python/object/apply:pathlib.PosixPath ['{victim}']"
    call = f"!!python/object/apply:pathlib.PosixPath.touch [{path}]"
    refusal(edited({1: f"name: {call}"}))
    assert not victim.exists()


def test_a_missing_file_is_told_with_its_folder(tmp_path):
    with pytest.raises(ManifestError) as caught:
        read_course(tmp_path)
    assert (
        str(caught.value) == f"{tmp_path / 'course.yml'}: cannot be read: No such file or directory"
    )


def test_a_folder_is_no_manifest(tmp_path):
    (tmp_path / "course.yml").mkdir()
    with pytest.raises(ManifestError, match=r"course\.yml: cannot be read: Is a directory$"):
        read_course(tmp_path)


MARKS = [*"a1.eT:-?~{}[]&*!<>|%@#=\"'\\\n\t\0é "]
PIECES = st.sampled_from([*MARKS, ": ", "- ", "&a ", "*a", "!!int ", "2027-02-30", "\\ud800"])


@settings(deadline=None)
@given(st.text() | st.lists(PIECES).map("".join), st.integers(1, len(GOOD)))
@example('"\\ud800": 1', 1)
@example("assignments: !!int >", 8)
@example("released: 0001-01-01T00:00:00+23:59", 12)
@example("released: 2027-02-01T00:00:00+99:00", 12)
def test_whatever_stands_in_the_file_is_read_or_refused_with_the_lines(read, text, line):
    whole = edited({line: "HERE"}).replace("HERE", text)
    for manifest in (text, whole):
        told = "course.yml:"
        try:
            read(manifest.encode(errors="surrogatepass"))
        except ManifestError as error:
            told = str(error)
        assert all(problem.startswith("course.yml:") for problem in told.split("\n"))
