"""What lies in submitted/ is never lost: the last hand-in is there, those before it are kept."""

import io
import os
import zipfile

import pytest
from collect.conftest import NAME, notebook

OURS = f"ada/{NAME}/{NAME}.ipynb"
TIMES = [f"2027-02-0{day} 20:00:00.000000 UTC" for day in (6, 7, 8)]
STAMPS = [f"2027-02-0{day}_20-00-00" for day in (6, 7, 8)]


def exchange(course, *days, **texts):
    """The exchange with ada's hand-ins of these days."""
    files = {
        f"ada+{NAME}+{TIMES[day]}/{NAME}.ipynb": notebook(texts.get(f"day{day}", f"day {day}"))
        for day in days
    }
    return course.zip(files, "exchange.zip")


def canvas(course, text, year):
    return course.zip({f"lovelaceada_11_87_{NAME}.ipynb": notebook(text)}, year=year)


def snapshot(course):
    """Every file of the course, with its content and its time."""
    found = (path for path in course.root.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_collecting_again_changes_nothing(course):
    source = exchange(course, 0, 2)
    course.collect(source)
    before = snapshot(course)
    rows = course.collect(source)
    assert rows["ada"].done == "there already"
    assert snapshot(course) == before


def test_a_dry_run_says_the_same_and_writes_nothing(course):
    course.collect(exchange(course, 0))
    source = exchange(course, 0, 1, 2)
    before = snapshot(course)
    said = course.collect(source, write=False)
    assert snapshot(course) == before
    assert said == course.collect(source)
    assert said["ada"].done == "replaces an earlier one, which is kept"


def test_a_newer_one_replaces_and_keeps_the_older(course):
    course.collect(exchange(course, 0))
    course.collect(exchange(course, 2))
    assert course.lies()[OURS] == notebook("day 2")
    assert course.lies()[f"ada/{NAME}/timestamp.txt"].decode() == TIMES[2]
    assert course.lies("earlier") == {
        f"ada/{NAME}/{STAMPS[0]}/{NAME}.ipynb": notebook("day 0"),
        f"ada/{NAME}/{STAMPS[0]}/timestamp.txt": TIMES[0].encode(),
    }


def test_an_older_one_is_kept_beside(course):
    course.collect(exchange(course, 2))
    rows = course.collect(exchange(course, 1))
    assert rows["ada"].done == "kept: what is there is newer"
    assert course.lies()[OURS] == notebook("day 2")
    assert course.lies("earlier")[f"ada/{NAME}/{STAMPS[1]}/{NAME}.ipynb"] == notebook("day 1")


def test_what_people_mended_is_left_unless_it_is_forced_and_kept_then(course):
    source = exchange(course, 1)
    course.collect(source)
    (course.root / "submitted" / OURS).write_bytes(notebook("mended"))
    rows = course.collect(source)
    assert rows["ada"].done.startswith("left: ")
    assert rows["ada"].for_a_person
    assert course.lies()[OURS] == notebook("mended")
    course.collect(source, force=True)
    assert course.lies()[OURS] == notebook("day 1")
    kept = [data for name, data in course.lies("earlier").items() if name.endswith(".ipynb")]
    assert kept == [notebook("mended")]


def test_without_a_time_what_was_saved_later_is_the_last(course):
    course.collect(canvas(course, "first", 2020))
    assert not [each for each in course.lies() if each.endswith("timestamp.txt")]
    course.collect(canvas(course, "second", 2021))
    assert course.lies()[OURS] == notebook("second")
    rows = course.collect(canvas(course, "first", 2020))
    assert rows["ada"].done == "kept: what is there is newer"
    assert course.lies()[OURS] == notebook("second")
    rows = course.collect(canvas(course, "third", 2021))
    assert rows["ada"].done.startswith("left: ")
    assert [*course.lies("earlier").values()] == [notebook("first")]


def test_times_can_come_later(course):
    source = canvas(course, "one", 2020)
    course.collect(source)
    times = course.root / "times.csv"
    times.write_text("id;time\nada;2027-02-09 00:09\nx;-\n")
    rows = course.collect(source, times=times)
    assert rows["ada"].done == "there already, its time is new"
    assert rows["ada"].late.by.total_seconds() == 600
    assert course.lies()[f"ada/{NAME}/timestamp.txt"] == b"2027-02-08 23:09:00.000000 UTC"


@pytest.mark.parametrize("time", ["08/02/2027 11:00", "Montag, 8. Feber 2027", "2027-02-30 11:00"])
def test_a_time_that_is_none_is_told_with_its_line(course, time):
    times = course.root / "times.csv"
    times.write_text(f'id,time\nada,2027-02-08 23:00 +01:00\nbob,"{time}"\n')
    with pytest.raises(Exception, match=r"times\.csv:3: time must be a date and time") as caught:
        course.collect(canvas(course, "one", 2020), times=times)
    assert repr(time) in str(caught.value)


def test_a_table_of_times_must_say_whose_they_are(course):
    (course.root / "times.csv").write_text("name,when\n")
    with pytest.raises(Exception, match=r"times\.csv:1: .* got name, when"):
        course.collect(canvas(course, "one", 2020), times=course.root / "times.csv")


def test_who_became_known_is_told_of_the_folder_from_before(course):
    roster = course.root / "roster.csv"
    known = roster.read_text()
    roster.write_text(known.replace("ada,", "ada2,").replace("Ada,", "Ida,").replace(",11,", ",,"))
    assert course.collect(canvas(course, "one", 2020)).keys() == {"unknown_lovelaceada_11"}
    roster.write_text(known)
    row = course.collect(canvas(course, "one", 2020))["ada"]
    assert row.notes[0].startswith("also in unknown_lovelaceada_11")
    assert row.for_a_person


def test_what_a_broken_run_left_is_no_submission(course):
    new = course.root / "submitted" / "ada" / ".collecting"
    new.mkdir(parents=True)
    (new / "half.ipynb").write_text("{")
    course.collect(exchange(course, 1))
    assert {*course.lies()} == {OURS, f"ada/{NAME}/timestamp.txt"}


def test_a_link_in_the_place_of_a_folder_is_left(course):
    place = course.root / "submitted" / "ada" / NAME
    place.parent.mkdir(parents=True)
    os.symlink(course.root, place)
    rows = course.collect(exchange(course, 1), force=True)
    assert rows["ada"].done == "left: there is no folder in its place"
    assert not (course.root / f"{NAME}.ipynb").exists()


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def test_a_zip_in_the_place_of_the_notebook_is_opened_once(course):
    inner = {f"work/{NAME}.ipynb": "mine", "work/table.tsv": "w", "../../x": "evil"}
    source = course.zip({"lovelaceada_11_87_my work.zip": zipped(inner)})
    row = course.collect(source)["ada"]
    assert row.notes[0] == "taken out of my work.zip"
    assert row.notes[1].startswith("not taken: ../../x ")
    there = {f"ada/{NAME}/{NAME}.ipynb": b"mine", f"ada/{NAME}/table.tsv": b"w"}
    assert course.lies() == there
    assert course.collect(source)["ada"].done == "there already"


@pytest.mark.parametrize(
    "inside", [zipped({"a.zip": zipped({"b.ipynb": "x"})}), b"no zip", zipped({})]
)
def test_a_zip_without_a_notebook_waits_as_it_is(course, inside):
    row = course.collect(course.zip({"lovelaceada_11_87_a.zip": inside}))["ada"]
    assert row.notes == ("no notebook, but a.zip",)
    assert course.lies() == {f"ada/{NAME}/a.zip": inside}


def test_which_notebook_is_meant(course):
    def kept(*names):
        files = {f"ada/{each}": each.encode() for each in names}
        (row,) = course.collect(course.zip(files), system="folder", force=True).values()
        lies = course.lies()
        found = {name.removeprefix(f"ada/{NAME}/"): data.decode() for name, data in lies.items()}
        return found, [note for note in row.notes if "hand-ins" not in note]

    ours = f"{NAME}.ipynb"
    assert kept("other.ipynb", ours, f"b/{ours}")[0][ours] == ours
    assert kept(f"a/{ours}", "a/plot.png", "other.ipynb", "a/table (1).tsv") == (
        {ours: f"a/{ours}", "plot.png": "a/plot.png", "other.ipynb": "other.ipynb"}
        | {"table.tsv": "a/table (1).tsv"},
        [],
    )
    again = f"{NAME} (1).ipynb"
    assert kept(again, "other.ipynb")[0][ours] == again
    assert kept("week_1.ipynb") == (
        {ours: "week_1.ipynb"},
        ["the notebook was called week_1.ipynb"],
    )
    two = kept("a.ipynb", "b.ipynb")
    assert two == (
        {"a.ipynb": "a.ipynb", "b.ipynb": "b.ipynb"},
        ["no notebook is told apart: a.ipynb, b.ipynb"],
    )
    assert kept("a.ipynb", "b.ipynb", "A.png")[1] == two[1]
    assert kept(f"{NAME}.zip")[1] == [f"no notebook, but {NAME}.zip"]


def test_a_folder_that_is_called_as_the_time_is_not_taken(course):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as zipped:
        zipped.writestr(f"{NAME}.ipynb", notebook("day 0"))
        zipped.writestr("timestamp.txt/words.txt", "x")
    files = {"lovelaceada_11_87_work.zip": inner.getvalue()}
    rows = course.collect(course.zip(files, year=2027))
    assert "not taken: timestamp.txt/words.txt" in " ".join(rows["ada"].notes)
    assert not (course.root / "submitted" / "ada" / NAME / "timestamp.txt").is_dir()
