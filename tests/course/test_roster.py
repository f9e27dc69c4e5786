"""roster.csv is read with our own columns, and as each system exports it; or refused by lines."""

import pytest

from autograder.course import Person, Roster, RosterError, read_roster

OWN = """id,first_name,last_name,email,section,canvas,moodle,gradescope
ada,Ada,Lovelace,ada@example.edu,Monday,11,501,3001
bob,Bob,"O'Hara, Jr.",bob@example.edu,,12,,
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Squares (871),Final Score
,,,,,Manual Posting,
    Points Possible,,,,,22,(read only)
"Lovelace, Ada",11,S3001,ada,Monday and Tuesday,20,90.0
"Ó Briain, Dara",12,S3002,,Monday,,
"Student, Test",99,,84cb5,Monday,,
"""
CANVAS_SPLIT = """LastName,FirstName,ID,SIS Login ID,Section
    Points Possible,,,,
Lovelace,Ada,11,ada,Monday
"""
CANVAS_ROSTER = """Student Name,Student ID,Student SIS ID,Email,Section Name
Ada Lovelace,11,S3001,ada@example.edu,Monday
Bob Hope,12,,bob@example.edu,Monday
"""
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 501,Ada Lovelace,ada@example.edu,Submitted for grading,,22.00,Yes,"Monday, 8 '
    'February 2027, 11:02 PM",-,\n'
)
PARTICIPANTS = """First name,Last name,ID number,Email address,Roles,Groups
Ada,Lovelace,S3001,ada@example.edu,Student,Monday
Grace,Hopper,,grace@example.edu,Teacher,
"""
GRADESCOPE = """First Name,Last Name,SID,Email,Role,Section
Ada,Lovelace,3001,ada@example.edu,Student,Monday
Bob,Hope,,bob@example.edu,Student,
Grace,Hopper,,grace@example.edu,Instructor,
"""
CLASSROOM = """"identifier","github_username","github_id","name"
"ada","ada-l","77","Ada Lovelace"
"bob","","",""
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "roster.csv").write_bytes(data)
        return read_roster(tmp_path)

    return read


@pytest.fixture
def refusal(read):
    def refusal(text):
        with pytest.raises(RosterError) as caught:
            read(text)
        return str(caught.value).splitlines()

    return refusal


def test_no_roster_is_an_empty_one(tmp_path):
    assert read_roster(tmp_path) == Roster()
    assert Roster().name_of("ada") == "ada"


def test_our_own_columns(read):
    roster = read(OWN)
    lms = {"canvas": "11", "moodle": "501", "gradescope": "3001"}
    ada = Person("ada", "Ada", "Lovelace", "ada@example.edu", "Monday", lms)
    assert roster.people["ada"] == ada
    assert roster.people["bob"].lms == {"canvas": "12"}
    assert [roster.name_of(each) for each in ("ada", "bob", "eve")] == [
        *("Ada Lovelace", "Bob O'Hara, Jr.", "eve")
    ]


def test_an_id_is_enough_and_a_name_need_not_be_taken_apart(read):
    assert read("id\nada\n").name_of("ada") == "ada"
    assert read("id,name\nada,Ada King Lovelace\n").name_of("ada") == "Ada King Lovelace"


def test_a_name_is_one_line_that_steers_no_terminal(read):
    assert read('id,name\nada,"Ada\x1b[2J\n  Love\u202elace"\n').name_of("ada") == (
        "Ada\ufffd[2J Love\ufffdlace"
    )


def test_canvas_gradebook(read):
    people = read(CANVAS).people
    assert [*people] == ["ada", "S3002"]
    assert people["ada"].name == "Ada Lovelace"
    assert people["ada"].lms == {"canvas": "11", "sis": "S3001", "login": "ada"}
    assert people["S3002"].name == "Dara Ó Briain"
    assert people["ada"].section == "Monday and Tuesday"


def test_canvas_gradebook_with_names_in_two_columns(read):
    with pytest.raises(RosterError, match="cannot"):
        read(CANVAS_SPLIT.replace("ada", "a/da"))
    assert read(CANVAS_SPLIT).name_of("ada") == "Ada Lovelace"
    assert [*read(CANVAS_SPLIT).people] == ["ada"]


def test_canvas_class_roster(read):
    people = read(CANVAS_ROSTER).people
    assert people["S3001"].lms == {"canvas": "11", "sis": "S3001"}
    assert people["12"].email == "bob@example.edu"


def test_moodle_grading_worksheet(read):
    (ada,) = read(WORKSHEET).people.values()
    assert (ada.id, ada.name, ada.lms) == ("ada@example.edu", "Ada Lovelace", {"moodle": "501"})


def test_moodle_participants_without_staff(read):
    (ada,) = read(PARTICIPANTS).people.values()
    assert (ada.id, ada.name, ada.section) == ("S3001", "Ada Lovelace", "Monday")


def test_gradescope_roster_without_staff(read):
    people = read(GRADESCOPE).people
    assert [*people] == ["3001", "bob@example.edu"]
    assert people["3001"].lms == {"gradescope": "3001"}


def test_github_classroom_roster(read):
    people = read(CLASSROOM).people
    assert people["ada"].lms == {"github": "ada-l"}
    assert people["ada"].name == "Ada Lovelace"
    assert people["bob"].name == "bob"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_what_a_spreadsheet_makes_of_it_is_read(read, separator):
    text = OWN.replace('"O\'Hara, Jr."', "Hope").replace(",", separator).replace("\n", "\r\n")
    assert read(b"\xef\xbb\xbf" + text.encode()).name_of("bob") == "Bob Hope"


def test_all_problems_are_told_with_their_lines(refusal):
    text = "id,e-mail,canvas\nada,a@b,1\n,c@d,2\n\nADA,e@f,3\n../x,g@h,3\nbob,i@j,4,5\n"
    known = "id, first_name, last_name, name, email, section, canvas, moodle, gradescope, sis, "
    assert refusal(text) == [
        "roster.csv:1: 'e-mail' is not a known column; did you mean email? "
        f"(known: {known}login, github)",
        "roster.csv:3: the id is empty (column id)",
        "roster.csv:5: the id 'ADA' stands twice, first on line 2",
        "roster.csv:6: the canvas '3' stands twice, first on line 5",
        "roster.csv:6: the id '../x' cannot be the name of a folder",
        "roster.csv:7: has 4 cells, more than the 3 columns",
    ]


def test_a_doubled_row_of_an_export_is_told_once(refusal):
    assert refusal(GRADESCOPE + "Bab,Hope,,bob@example.edu,Student,\n") == [
        "roster.csv:5: the id 'bob@example.edu' stands twice, first on line 3"
    ]


def test_a_cell_of_several_lines_is_told_where_it_begins(refusal):
    assert refusal('id,name\nada,"Ada\nLovelace"\nada,\n') == [
        "roster.csv:4: the id 'ada' stands twice, first on line 2"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"id,name\nada,Andr\xe9\n", ':2: byte 0xe9 is not UTF-8: save it again as "CSV UTF-8"'),
        ("id,name\n".encode("utf-16"), ':1: byte 0xff is not UTF-8: save it again as "CSV UTF-8"'),
        ('id,name\nada,"Ada\n', ":2: cannot be read as CSV: unexpected end of data"),
        ("id,name,name\n", ":1: the column 'name' stands twice"),
    ],
)
def test_what_cannot_be_read(refusal, text, said):
    assert refusal(text)[0] == f"roster.csv{said}"


@pytest.mark.parametrize("text", ["", "\n\n", "Vorname;Nachname\nAda;Lovelace\n"])
def test_a_table_that_nobody_knows(refusal, text):
    (said,) = refusal(text)
    assert "there is no column id" in said
    assert said.endswith(f"got {'Vorname, Nachname' if text.strip() else 'nothing'}")
