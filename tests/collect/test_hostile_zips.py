"""What strangers put into a zip or a folder is refused by its name, and costs nobody else."""

import io
import os
import stat
import struct
import warnings
import zipfile

import pytest
from collect.conftest import NAME, notebook

from autograder.collect import CollectError, entries
from autograder.collect.entries import Entry, Refused, opened, within
from autograder.collect.naming import under_our_names
from autograder.course import read_course

TOP = "Ada Lovelace_501_assignsubmission_file_"
DARA = {f"Dara Ó Briain_502_assignsubmission_file_/{NAME}.ipynb": notebook("dara")}
ADA = {f"{TOP}/{NAME}.ipynb": notebook("ada")}


def entry(name, mode=None):
    info = zipfile.ZipInfo("x")
    info.filename = name  # as it is: the constructor would mend it
    info.compress_type = zipfile.ZIP_DEFLATED
    if mode is not None:
        info.create_system, info.external_attr = 3, mode << 16
    return info


def refused(course, source):
    """What is told of ada, after all others were collected."""
    rows = course.collect(source)
    assert course.lies()[f"dara/{NAME}/{NAME}.ipynb"] == notebook("dara")
    assert rows["ada"].for_a_person
    inside = {each for each in course.lies() if each.startswith("ada/")}
    assert inside <= {f"ada/{NAME}/{NAME}.ipynb"}
    return " ".join(rows["ada"].notes)


@pytest.mark.parametrize(
    "name",
    [
        *("../../../course.yml", "a/../../x.ipynb", "./x", "a//x", "..\\..\\x.ipynb", "\\\\x\\y"),
        *("a\nb.ipynb", "a\u202eb.ipynb", f"{'x' * 250}.ipynb", "/".join("abcdefghijklmnop")),
    ],
)
def test_a_name_that_leads_elsewhere_or_cannot_be_borne(course, name):
    source = course.zip({**DARA, **ADA, entry(f"{TOP}/{name}"): b"evil"})
    before = (course.root / "course.yml").read_bytes()
    told = refused(course, source)
    assert told.startswith("not taken: ")
    assert "\n" not in told
    assert "\u202e" not in told
    assert course.lies()[f"ada/{NAME}/{NAME}.ipynb"] == notebook("ada")
    assert (course.root / "course.yml").read_bytes() == before


@pytest.mark.parametrize("name", ["/etc/passwd", "C:/x.ipynb", "../x.ipynb"])
def test_a_name_that_is_nobodys_is_a_stray(course, name):
    course.collect(course.zip({**DARA, **ADA, entry(name): b"evil"}))
    (stray,) = course.last.strays
    assert stray == f"{name}: has a path that leads elsewhere"


def test_a_link_and_a_device(course):
    link = entry(f"{TOP}/{NAME}.ipynb", stat.S_IFLNK | 0o777)
    device = entry(f"{TOP}/fifo", stat.S_IFIFO | 0o600)
    told = refused(course, course.zip({**DARA, link: b"/etc/passwd", device: b""}))
    assert told.count("is a link or no plain file") == 2
    assert "no notebook" in told


def test_a_bomb_that_says_its_size(course):
    bomb = bytes(65 << 20)
    told = refused(course, course.zip({**DARA, f"{TOP}/{NAME}.ipynb": bomb}))
    assert f"{NAME}.ipynb has 65 MiB; at most 64 can be handed in" in told


def test_a_bomb_that_lies_about_its_size(course):
    source = course.zip({f"{TOP}/{NAME}.ipynb": bytes(9_123_457), **DARA})
    data = source.read_bytes()
    real, said = struct.pack("<I", 9_123_457), struct.pack("<I", 100)
    assert data.count(real) == 2
    source.write_bytes(data.replace(real, said))
    assert "is damaged" in refused(course, source)


def test_many_files_of_one_student_are_bounded_together(course):
    files = {f"{TOP}/{n}.npy": bytes(20 << 20) for n in range(5)}
    rows = course.collect(course.zip({**DARA, **ADA, **files}))
    told = [each for each in rows["ada"].notes if "all together may have 64 MiB" in each]
    assert len(told) == 2
    assert f"ada/{NAME}/{NAME}.ipynb" in course.lies()


def test_what_is_damaged_is_counted_too_and_no_more_is_read(course):
    def read():
        reads.append(1)
        raise Refused("is damaged")

    reads = []
    files = [((f"{n}.npy",), Entry((f"{n}.npy",), 20 << 20, 0.0, read)) for n in range(50)]
    taken, notes = under_our_names(files, read_course(course.root).assignment(NAME))
    assert not taken
    assert len(reads) == 3
    assert notes[3:] == ["not taken: 47 more", "no notebook"]


def test_a_damaged_one(course):
    source = course.zip({**ADA, **DARA})
    data = bytearray(source.read_bytes())
    data[data.index(b".ipynb") + 20] ^= 0xFF
    source.write_bytes(data)
    assert "is damaged" in refused(course, source)


def test_an_encrypted_one(course):
    source = course.zip({**ADA, **DARA})
    data = bytearray(source.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    source.write_bytes(data)
    assert "is encrypted" in refused(course, source)


def test_one_that_stands_twice(course):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twice = entry(f"{TOP}/{NAME}.ipynb")
        source = course.zip({**ADA, twice: notebook("the other"), **DARA})
    assert "stands twice" in refused(course, source)
    assert course.lies()[f"ada/{NAME}/{NAME}.ipynb"] == notebook("ada")


def test_a_file_in_the_place_of_a_folder(course):
    source = course.zip({**ADA, f"{TOP}/{NAME}.ipynb/x.txt": b"in a file?", **DARA})
    assert "another file has as its own or its folder's" in refused(course, source)


def test_a_time_that_a_student_packed_is_not_believed(course):
    course.collect(course.zip({**ADA, f"{TOP}/timestamp.txt": b"1999-01-01 00:00:00 UTC"}))
    assert {*course.lies()} == {f"ada/{NAME}/{NAME}.ipynb"}


def test_what_machines_put_beside_is_passed_over(course):
    junk = (
        "__MACOSX/x",
        f"{TOP}/.DS_Store",
        f"{TOP}/._{NAME}.ipynb",
        f"{TOP}/.ipynb_checkpoints/a",
    )
    rows = course.collect(course.zip({**ADA, **{each: b"junk" for each in junk}}))
    assert {*course.lies()} == {f"ada/{NAME}/{NAME}.ipynb"}
    assert not rows["ada"].notes
    assert not course.last.strays


def test_names_in_utf8_that_the_zip_does_not_say_are_so(course):
    source = course.zip({name.replace("502", "77"): data for name, data in DARA.items()})
    data = bytearray(source.read_bytes())
    for start, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(start) + offset
        data[at : at + 2] = struct.pack("<H", struct.unpack("<H", data[at : at + 2])[0] & ~0x800)
    source.write_bytes(data)
    assert course.collect(source).keys() == {"dara"}


def test_links_and_devices_in_a_folder(course):
    root = course.folder({**DARA, **ADA})
    os.symlink("/etc/passwd", root / TOP / "passwd")
    os.symlink("/etc", root / TOP / "etc")
    os.mkfifo(root / TOP / "fifo")
    told = refused(course, root)
    assert told.count("is a link or no plain file") == 3


def test_a_link_that_is_put_there_after_the_look(course):
    root = course.folder(ADA)
    with opened(root) as entries:
        (found,) = entries
        (root / TOP / f"{NAME}.ipynb").unlink()
        (root / TOP).rmdir()
        (root / "elsewhere").mkdir()
        (root / "elsewhere" / f"{NAME}.ipynb").write_bytes(b"somebody else's")
        os.symlink(root / "elsewhere", root / TOP)
        with pytest.raises(Exception, match="cannot be read"):
            found.read()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("x.zip", b"PK\x05\x06" + bytes(18), "there is no file in"),
        ("x.zip", b"not a zip", "is no folder, no zip and no notebook"),
        ("x.tar.gz", b"\x1f\x8b", "is no folder, no zip and no notebook"),
    ],
)
def test_what_is_no_download(course, name, data, said):
    path = course.folder({name: data}) / name
    with pytest.raises(CollectError, match=said):
        course.collect(path)


def test_a_zip_whose_list_is_damaged(course):
    source = course.zip(DARA)
    data = bytearray(source.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at : at + 4] = b"XXXX"
    source.write_bytes(data)
    with pytest.raises(CollectError, match="is a damaged zip"):
        course.collect(source)


def test_a_zip_that_somebody_handed_in_lists_no_more_than_is_looked_at(monkeypatch):
    def found(data):
        return within(Entry(("x.zip",), len(data), 0.0, lambda: data))

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for each in range(300):
            archive.writestr(f"{each}.txt", "")
    data = file.getvalue()
    end = data.rfind(b"PK\x05\x06")
    assert len(found(data)) == 300
    # By this a list may be anywhere, and as long as anybody likes.
    assert found(data[:end] + b"PK\x06\x07" + bytes(16) + data[end:]) == []
    monkeypatch.setattr(entries, "_MAX_LISTING_BYTES", 300 * 46)  # without the names
    assert found(data) == []
    # Numbers of disks that nobody looks at, and which read like the record's own beginning.
    read_wrong = data[: end + 4] + b"PK\x05\x06" + data[end + 8 :]
    assert entries._listing_bytes(read_wrong) == entries._listing_bytes(data)
