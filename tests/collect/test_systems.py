"""Downloads as each system documents them: recognised, and every hand-in is its student's."""

import shutil
import subprocess
from datetime import UTC, datetime

import pytest
from collect.conftest import NAME, notebook

from autograder.collect import CollectError

EARLY, LATE = "2027-02-08 20:00:00.000001 UTC", "2027-02-09 20:00:00.000001 UTC"
WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 501,Ada Lovelace,ada@example.edu,Submitted,,2,Yes,"Monday, 8 February 2027, '
    '11:02 PM",-,\n'
    'Participant 502,Dara Ó Briain,dara@example.edu,Submitted,,2,Yes,"Tuesday, 9 February 2027, '
    '1:59 AM",-,\n'
    "Participant 503,Eve Adams,eve@example.edu,No submission,,2,Yes,-,-,\n"
)
GRADESCOPE = """---
submission_7001:
  :submitters:
  - :name: Ada Lovelace
    :sid: '3001'
    :email: ada@example.edu
  - :name: Dara Ó Briain
    :sid:
    :email: Dara@example.edu
  :created_at: 2027-02-08 14:30:00.123456000 -0800
  :score: 0.0
  :status: processed
  :history: []
"""


def both(course, files, system, **options):
    """From the zip and from the folder that it becomes when it is unpacked: the same."""
    there = course.collect(course.folder(files), write=False, **options)
    assert course.last.system == system
    found = course.collect(course.zip(files), **options)
    assert course.last.system == system
    assert {who: (row.known, row.at) for who, row in found.items()} == {
        who: (row.known, row.at) for who, row in there.items()
    }
    return found


def missing(course):
    return [person.id for person in course.last.missing]


def test_nbgrader_exchange(course):
    files = {
        f"inbound/ada+{NAME}+{EARLY}+a_bc-d/{NAME}.ipynb": notebook("first"),
        f"inbound/ada+{NAME}+{EARLY}+a_bc-d/timestamp.txt": EARLY.encode(),
        f"inbound/ada+{NAME}+{LATE}+x/{NAME}.ipynb": notebook("last"),
        f"inbound/ada+{NAME}+{LATE}+x/timestamp.txt": b"1999-01-01 00:00:00 UTC",
        f"inbound/dara+cubes+{EARLY}+a/cubes.ipynb": notebook(),
        f"inbound/dara+c+{NAME}+{EARLY}/{NAME}.ipynb": notebook(),
        f"outbound/{NAME}/{NAME}.ipynb": notebook("release"),
    }
    rows = both(course, files, "nbgrader")
    assert rows.keys() == {"ada", "unknown_dara_c"}
    assert rows["ada"].late.by.total_seconds() == pytest.approx(21 * 3600 + 60)
    assert "2 hand-ins: the last counts" in rows["ada"].notes
    assert course.lies() == {
        f"ada/{NAME}/{NAME}.ipynb": notebook("last"),
        f"ada/{NAME}/timestamp.txt": LATE.encode(),
        f"unknown_dara_c/{NAME}/{NAME}.ipynb": notebook(),
        f"unknown_dara_c/{NAME}/timestamp.txt": EARLY.encode(),
    }
    assert course.lies("earlier") == {
        f"ada/{NAME}/2027-02-08_20-00-00/{NAME}.ipynb": notebook("first"),
        f"ada/{NAME}/2027-02-08_20-00-00/timestamp.txt": EARLY.encode(),
    }
    assert missing(course) == ["dara", "eve"]


def test_canvas(course):
    files = {
        f"lovelaceada_11_8701_{NAME}.ipynb": notebook("ada"),
        "lovelaceada_11_8702_table-1.tsv": b"weights",
        f"óbriaindara_LATE_99_8703_{NAME}-2.ipynb": notebook("dara"),
        "adamseve_13_text.html": b"<p>I could not",
        f"hope_1st_bob_14_8704_my_{NAME}_3_4.ipynb": notebook("bob"),
        f"anon_4fGh2_8705_{NAME}.ipynb": notebook("anonymous"),
    }
    rows = both(course, files, "canvas")
    assert [who for who, row in rows.items() if row.is_late] == ["dara"]
    assert all(row.at is None for row in rows.values())
    assert rows["eve"].notes == ("no notebook, but text.html",)
    assert rows["unknown_hope_1st_bob_14"].notes == (
        f"the notebook was called my_{NAME}_3_4.ipynb",
    )
    assert [who for who, row in rows.items() if row.for_a_person] == [
        *("eve", "unknown_anon_4fGh2", "unknown_hope_1st_bob_14")
    ]
    lies = course.lies()
    assert lies[f"ada/{NAME}/table.tsv"] == b"weights"
    assert lies[f"dara/{NAME}/{NAME}.ipynb"] == notebook("dara")
    assert lies[f"eve/{NAME}/text.html"] == b"<p>I could not"
    assert missing(course) == []


@pytest.mark.parametrize("end", ["_/", "/", "_"])
def test_moodle_with_folders_and_without(course, end):
    """Before 3.1 and by choice there are no folders; before 4.1 their names end with "_"."""
    files = {
        f"Ada Lovelace_501_assignsubmission_file{end}{NAME}.ipynb": notebook("ada"),
        f"Ada Lovelace_501_assignsubmission_onlinetext{end}onlinetext.html": b"<p>see there",
        f"Dara Ó Briain_77_assignsubmission_file{end}abgabe.ipynb": notebook("dara"),
        f"Bob Hope_504_assignsubmission_file{end}bob.pdf": b"%PDF",
    }
    rows = both(course, files, "moodle")
    assert rows.keys() == {"ada", "dara", "unknown_Bob_Hope"}
    assert rows["unknown_Bob_Hope"].notes == ("no notebook, but bob.pdf",)
    lies = course.lies()
    assert lies[f"ada/{NAME}/{NAME}.ipynb"] == notebook("ada")
    assert lies[f"ada/{NAME}/onlinetext.html"] == b"<p>see there"
    assert lies[f"dara/{NAME}/{NAME}.ipynb"] == notebook("dara")
    assert missing(course) == ["eve"]


def test_moodle_times_and_blind_names_from_the_worksheet(course):
    (course.root / "worksheet.csv").write_text(WORKSHEET)
    roster = (course.root / "roster.csv").read_text()
    (course.root / "roster.csv").write_text(roster.replace("501", "").replace("502", ""))
    files = {
        f"Participant_501_assignsubmission_file_/{NAME}.ipynb": notebook("ada"),
        f"Participant_502_assignsubmission_file_/{NAME}.ipynb": notebook("dara"),
    }
    rows = both(course, files, "moodle", times=course.root / "worksheet.csv")
    assert rows["ada"].at == datetime(2027, 2, 8, 22, 2, tzinfo=UTC)
    assert not rows["ada"].is_late
    assert rows["dara"].late.by.total_seconds() == 2 * 3600
    assert course.lies()[f"ada/{NAME}/timestamp.txt"] == b"2027-02-08 22:02:00.000000 UTC"


def test_two_of_one_name_on_the_roster_are_told_apart_by_their_numbers_or_by_nobody(course):
    roster = (course.root / "roster.csv").read_text()
    (course.root / "roster.csv").write_text(roster + "lov,Ada,Lovelace,lov@example.edu,,509,,\n")
    files = {
        f"Ada Lovelace_509_assignsubmission_file_/{NAME}.ipynb": notebook("by number"),
        f"Ada Lovelace_777_assignsubmission_file_/{NAME}.ipynb": notebook("whose?"),
        f"Mal_778_assignsubmission_file_/{NAME}.ipynb": notebook("stranger"),
    }
    rows = both(course, files, "moodle")
    assert rows["lov"].known
    (who,) = (each for each in rows if each.startswith("unknown_Ada"))
    (whose,) = rows[who].for_a_person
    assert whose.startswith("Ada Lovelace may be ada or lov: ")
    assert rows["unknown_Mal"].for_a_person == ("the roster does not know Mal",)


def test_two_of_one_name_whom_no_roster_knows_are_two(course):
    (course.root / "roster.csv").unlink()
    files = {
        f"Jo Li_501_assignsubmission_file_/{NAME}.ipynb": notebook("one"),
        f"Jo Li_502_assignsubmission_file_/{NAME}.ipynb": notebook("two"),
        f"Ada_503_assignsubmission_file_/{NAME}.ipynb": notebook("ada"),
    }
    rows = course.collect(course.zip(files))
    first, second, third = sorted(rows)
    assert first == "Ada"
    assert second[:6] == third[:6] == "Jo_Li_"
    assert all(row.known and not row.for_a_person for row in rows.values())


def test_nobody_is_guessed_at_where_a_name_is_two_peoples(course):
    with (course.root / "roster.csv").open("a") as roster:
        roster.write("ada2,Ada,Lovelace,ada@example.org,,,,\n")
    files = {
        f"Ada Lovelace_77_assignsubmission_file_/{NAME}.ipynb": notebook("which?"),
        f"Ada Lovelace_501_assignsubmission_file_/{NAME}.ipynb": notebook("the first"),
    }
    assert len(rows := course.collect(course.zip(files))) == 2
    assert [who[:20] for who in rows] == ["ada", "unknown_Ada_Lovelace"]
    assert course.lies()[f"ada/{NAME}/{NAME}.ipynb"] == notebook("the first")


@pytest.mark.parametrize("wrap", ["", "assignment_871_export/"])
def test_gradescope(course, wrap):
    files = {
        f"{wrap}submission_metadata.yml": GRADESCOPE.encode(),
        f"{wrap}submission_7001/{NAME}.ipynb": notebook("both"),
        f"{wrap}submission_9999/{NAME}.ipynb": notebook("nobody"),
    }
    rows = both(course, files, "gradescope")
    assert rows.keys() == {"ada", "dara"}
    assert rows["dara"].at == datetime(2027, 2, 8, 22, 30, 0, 123456, tzinfo=UTC)
    assert course.lies()[f"dara/{NAME}/{NAME}.ipynb"] == notebook("both")
    assert [each.partition("/")[0] for each in course.last.strays] == ["submission_9999"]
    assert missing(course) == ["eve"]


@pytest.mark.parametrize("text", ["- a list", "a: {b: [}", "submission_7001: {:score: 1}"])
def test_gradescope_metadata_that_cannot_be_read(course, text):
    files = {"submission_metadata.yml": text.encode(), f"submission_7001/{NAME}.ipynb": notebook()}
    with pytest.raises(CollectError, match=r"submission_metadata\.yml cannot be read"):
        course.collect(course.zip(files))


def test_github_classroom_with_the_time_of_the_last_commit(course):
    files = {
        f"{NAME}-submissions/{NAME}-ada-l/{NAME}.ipynb": notebook("ada"),
        f"{NAME}-submissions/{NAME}-ada-l/README.md": b"read",
        f"{NAME}-submissions/{NAME}-ada-l/.github/workflows/x.yml": b"ci",
        f"{NAME}-submissions/{NAME}-dara/work/{NAME}.ipynb": notebook("dara"),
        f"{NAME}-submissions/{NAME}-dara/work/table.tsv": b"weights",
    }
    rows = both(course, files, "github")
    assert rows.keys() == {"ada", "dara"}
    lies = course.lies()
    assert f"ada/{NAME}/README.md" in lies
    assert not [each for each in lies if ".github" in each]
    assert lies[f"dara/{NAME}/table.tsv"] == b"weights"
    assert lies[f"dara/{NAME}/{NAME}.ipynb"] == notebook("dara")
    if not shutil.which("git"):
        pytest.skip("there is no git")
    repository = course.root / "downloaded" / "download" / f"{NAME}-submissions" / f"{NAME}-ada-l"
    commit(repository, "2027-02-09T01:00:00+0100")
    rows = course.collect(course.root / "downloaded" / "download")
    assert rows["ada"].at == datetime(2027, 2, 9, 0, 0, tzinfo=UTC)
    assert rows["ada"].late.by.total_seconds() == 3660
    assert rows["dara"].at is None


def commit(folder, when):
    person = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "HOME": str(folder)}
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "Done")):
        about = {"cwd": folder, "env": {"PATH": "/usr/bin:/bin:/usr/local/bin"} | dates}
        subprocess.run(["git", *person, *command], check=True, **about)


def test_github_repositories_of_another_name_share_what_is_common(course):
    files = {f"week-1-{who}/{NAME}.ipynb": notebook(who) for who in ("ada-l", "dara")}
    assert course.collect(course.folder(files), system="github").keys() == {"ada", "dara"}


def test_a_folder_of_files(course):
    files = {
        "ada.ipynb": notebook("ada"),
        f"dara@example.edu_{NAME}.ipynb": notebook("dara"),
        "Eve Adams/nb.ipynb": notebook("eve"),
        f"bob/{NAME}/{NAME}.ipynb": notebook("bob"),
        "bob/cubes/cubes.ipynb": notebook("not this one"),
    }
    rows = both(course, files, "folder")
    assert rows.keys() == {"ada", "dara", "eve", "unknown_bob"}
    lies = course.lies()
    assert {each: data for each, data in lies.items() if "timestamp" not in each} == {
        f"{who}/{NAME}/{NAME}.ipynb": notebook(who.removeprefix("unknown_")) for who in rows
    }


def test_a_single_notebook(course):
    path = course.folder({"ada.ipynb": notebook("ada")}) / "ada.ipynb"
    assert course.collect(path).keys() == {"ada"}


def test_what_it_is_can_be_said(course):
    files = {f"lovelaceada_11_8701_{NAME}.ipynb": notebook("ada")}
    course.collect(course.zip(files), system="folder", write=False)
    assert course.last.system == "folder"
    with pytest.raises(CollectError, match="has a name as in a download of moodle"):
        course.collect(course.zip(files), system="moodle")


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_a_repository_cannot_start_a_program(course):
    """Its own settings name programs: for what is missing, for watching files, for signatures."""
    repository = course.folder({f"{NAME}-dara/{NAME}.ipynb": notebook("dara")}) / f"{NAME}-dara"
    commit(repository, "2027-02-09T01:00:00+0100")
    evil = repository.parent / "evil"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch {evil}\n")
    program.chmod(0o755)
    settings = (
        f'[core]\nrepositoryformatversion = 1\nfsmonitor = "{program}"\npager = "{program}"\n'
        f'[extensions]\npartialClone = origin\n[gpg]\nprogram = "{program}"\n'
        f'[log]\nshowSignature = true\n[remote "origin"]\nurl = "ext::{program}"\n'
        f'promisor = true\nuploadpack = "{program}"\n[protocol "ext"]\nallow = always\n'
    )
    (repository / ".git" / "config").write_text(settings)
    (repository / ".git" / "HEAD").write_text("a" * 40 + "\n")
    rows = course.collect(repository.parent)
    assert rows["dara"].at is None
    assert not evil.exists()
