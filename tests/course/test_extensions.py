"""extensions.csv: read as it stands, and every mistake in it told by its line."""

from datetime import datetime, timedelta

import pytest
from good_course import GOOD, edited

from autograder.course.extensions import ExtensionsError, read_extensions
from autograder.course.manifest import read_course

HEAD = "student,assignment,days,until,reason\n"


@pytest.fixture
def course(tmp_path):
    (tmp_path / "course.yml").write_text("\n".join(GOOD) + "\n")
    return read_course(tmp_path)


def read(course, text):
    data = text if isinstance(text, bytes) else text.encode()
    (course.root / "extensions.csv").write_bytes(data)
    return read_extensions(course)


def test_without_a_file_nobody_has_one(course):
    assert read_extensions(course) == {}


def test_days_and_moments(course):
    found = read(
        course,
        "\ufeffStudent,assignment,until,days\r\n"
        "s042,a1_attention,,2\r\n\r\n"
        " s007 ,a1_attention,2027-03-01T12:00:00+01:00,\r\n",
    )
    due = course.assignments[0].dates.due
    assert found["s042", "a1_attention"].until == due + timedelta(days=2)
    moment = datetime.fromisoformat("2027-03-01T12:00:00+01:00")
    assert found["s007", "a1_attention"].until == moment
    assert found["s007", "a1_attention"].line == 4
    assert read(course, HEAD + 'ada,a1_attention,0.5,,"ill, again"\n')["ada", "a1_attention"]


@pytest.mark.parametrize(
    ("until", "meant"),
    [
        ("2027-03-01 23:59", "2027-03-01T23:59:00+01:00"),  # in the zone of the due date
        ("2027-03-01T12:00:00", "2027-03-01T12:00:00+01:00"),
        ("2027-03-01 12:00 UTC", "2027-03-01T12:00:00+00:00"),
        ('"Monday, 1 March 2027, 11:59 PM"', "2027-03-01T23:59:00+01:00"),
    ],
)
def test_a_moment_as_times_of_handing_in_are_written(course, until, meant):
    found = read(course, f"{HEAD}ada,a1_attention,,{until},\n")["ada", "a1_attention"].until
    assert found == datetime.fromisoformat(meant)


WRONG = [
    ("ada,a9,2,,", "assignment must be one of a1_attention, got 'a9'"),
    (",a1_attention,2,,", "student must be a student's id, is empty"),
    ("ada,a1_attention,-2,,", "days must be a number, above 0 and at most 366, got '-2'"),
    ("ada,a1_attention,nan,,", "days must be a number, above 0 and at most 366, got 'nan'"),
    ("ada,a1_attention,two,,", "days must be a number, above 0 and at most 366, got 'two'"),
    ("ada,a1_attention,,,", "must have either days or until, got days '' and until ''"),
    (
        "ada,a1_attention,2,2027-03-01T12:00:00Z,",
        "must have either days or until, got days '2' and until '2027-03-01T12:00:00Z'",
    ),
    (
        "ada,a1_attention,,1 March,",
        "until must be a date and time, such as 2027-02-08 23:02 or Monday, 8 February 2027, "
        "11:02 PM; got '1 March' (at what time?)",
    ),
    ("ada,a1_attention,,2027-03-01,", "until must be a date and time, such as 2027-02-08 23:02"),
    (
        "ada,a1_attention,,3/1/2027 12:00,",
        "until must be a date and time, such as 2027-02-08 23:02",
    ),
    (
        "ada,a1_attention,,2027-02-08T22:00:00Z,",
        "until must be after the due date (2027-02-08 23:59:00+01:00), got "
        "2027-02-08 22:00:00+00:00",
    ),
    ("ada,a1_attention,2,,ill,again", "has 6 cells, and there are 5 columns: put what has a comma"),
    ('ada,"a1', "is no CSV: unexpected end of data"),
]


@pytest.mark.parametrize(("row", "told"), WRONG)
def test_a_mistake_is_told_with_its_line(course, row, told):
    with pytest.raises(ExtensionsError) as caught:
        read(course, HEAD + "eve,a1_attention,1,,\n" + row + "\n")
    assert str(caught.value).startswith(f"extensions.csv:3: {told}")


def test_all_mistakes_are_told_at_once(course):
    with pytest.raises(ExtensionsError) as caught:
        read(course, HEAD + "eve,a1_attention,1,,\neve,a1_attention,2,,\nada,a1_attention,x,,\n")
    first, second = str(caught.value).splitlines()
    assert first == "extensions.csv:3: eve and a1_attention stand here twice, first on 2"
    assert second.startswith("extensions.csv:4: days must be")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("student,assignmnet,days\n", "1: 'assignmnet' is not a known column; did you mean assig"),
        ("student,days\n", "1: lacks the column assignment"),
        ("student,student,days\n", "1: 'student' stands twice"),
        (b"student,assignment,days\n\xff\n", " must be UTF-8"),
    ],
)
def test_a_file_that_is_something_else(course, data, told):
    with pytest.raises(ExtensionsError) as caught:
        read(course, data)
    assert str(caught.value).startswith(f"extensions.csv:{told}")


def test_somebody_whom_the_roster_does_not_know(course):
    (course.root / "roster.csv").write_text("id,name\nada,Ada L.\neve,Eve B.\n")
    assert read(course, HEAD + "ada,a1_attention,1,,\n")
    with pytest.raises(ExtensionsError) as caught:
        read(course, HEAD + "adda,a1_attention,1,,\n")
    told = "extensions.csv:2: student 'adda' is not in roster.csv; did you mean ada?"
    assert str(caught.value) == told


def test_there_must_be_a_date_to_extend(tmp_path):
    (tmp_path / "course.yml").write_text(edited({11: "dates:", 12: "", 13: ""}))
    with pytest.raises(ExtensionsError, match="a1_attention has no due date"):
        read(read_course(tmp_path), HEAD + "eve,a1_attention,1,,\n")
