"""Files as the systems read them that they are for, and not a bit more leniently.

Canvas: lib/gradebook_importer.rb of instructure/canvas-lms. Moodle: importgradeslib.php and
locallib.php in mod/assign/feedback/offline/, and importziplib.php in mod/assign/feedback/file/, of
moodle/moodle. Gradescope: gradescope-autograders.readthedocs.io, "Autograder Specifications".
"""

import csv
import io
import json
import re
import zipfile


def table(text, delimiter=","):
    """Rows as dicts: each heading once, each row as long as the header."""
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    assert len(set(header)) == len(header), header
    assert all(len(row) == len(header) for row in rows)
    return [dict(zip(header, row, strict=True)) for row in rows]


def spreadsheet(path):
    """A table of ours, which says that it is UTF-8 and in which no cell is a formula."""
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = table(raw.decode("utf-8-sig"))
    assert not any(re.match(r"\s*[=+@-].", cell) for row in rows for cell in row.values())
    return rows


def canvas(text, people, assignments, delimiter=","):
    """The grades that Canvas takes, by user and assignment, where people are Canvas's users by id.

    assignments: titles by id. Raises AssertionError for what Canvas refuses or would make anew.
    """
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    assert len(header) > 3
    assert "Student" in header[0]
    assert "ID" in header[1]
    assert re.search(r"SIS\s+User\s+ID", header[2])
    assert re.search(r"SIS\s+Login\s+ID", header[3])
    assert "Section" in header[4]
    columns = {}
    for at, heading in enumerate(header[5:], 5):
        match = re.fullmatch(r"(.*)\s\((\d+)\)", heading)
        known = [match[2]] if match else [id for id, it in assignments.items() if it == heading]
        assert known, f"Canvas would make a new assignment {heading!r}"
        assert known[0] in assignments
        columns[at] = known[0]
    grades, points = {}, {}
    for row in rows:
        assert len(row) == len(header)
        if "Points Possible" in row[0]:
            points = {id: float(row[at]) for at, id in columns.items()}
            continue
        if all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell) for cell in row):
            continue
        those = [
            id
            for id, (sis, login) in people.items()
            if row[1] == id or (not row[1] and (row[2] == sis or row[3] == login))
        ]
        assert len(those) == 1, f"Canvas would make a new student {row[0]!r}"
        for at, id in columns.items():
            assert re.fullmatch(r"(-?[0-9.]+)?", row[at])
            grades[those[0], id] = float(row[at]) if row[at] else None
    assert points
    return grades, points


def moodle(text, participants, most):
    """The grades and comments that Moodle takes, by participant; the numbers are Moodle's own."""
    assert not re.search(r'\\+"', text), "to PHP's fgetcsv a quote after a backslash ends no cell"
    rows = table(text)
    assert {"Identifier", "Grade", "Last modified (grade)"} <= rows[0].keys()
    taken = {}
    for row in rows:
        match = re.fullmatch(r"Participant (\d+)", row["Identifier"])
        assert match, row["Identifier"]
        assert match[1] in participants
        assert match[1] not in taken
        grade = row["Grade"] and float(row["Grade"])
        assert grade == "" or 0 <= grade <= most
        taken[match[1]] = (grade, row["Feedback comments"])
    return taken


_OF_RESULT = {"score": (int, float), "execution_time": (int, float), "output": str}
_OF_RESULT |= {"output_format": str, "tests": list}
_OF_TEST = {"score": (int, float), "max_score": (int, float), "name": str, "number": str}
_OF_TEST |= {"output": str, "output_format": str, "visibility": str}
_FORMATS = ("text", "html", "simple_format", "md", "ansi")
_VISIBILITY = ("hidden", "after_due_date", "after_published", "visible")


def gradescope(path):
    """Each results.json in an autograder, by the name of its file."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len(set(names)) == len(names)
        assert {"setup.sh", "run_autograder"} <= set(names)
        for program in ("setup.sh", "run_autograder"):
            assert archive.read(program).startswith(b"#!")
            assert archive.getinfo(program).external_attr >> 16 & 0o111
        found = {each: json.loads(archive.read(each)) for each in names if each.endswith(".json")}
    for name, result in found.items():
        assert re.fullmatch(r"results/[^/]+\.json", name)
        _typed(result, _OF_RESULT)
        assert "score" in result
        assert result["output_format"] in _FORMATS
        for at, test in enumerate(result["tests"], 1):
            _typed(test, _OF_TEST)
            assert test["number"] == str(at)
            assert test["output_format"] in _FORMATS
            assert test["visibility"] in _VISIBILITY
    return {name.removeprefix("results/").removesuffix(".json"): it for name, it in found.items()}


def _typed(entry, known):
    for key, value in entry.items():
        assert key in known, f"Gradescope knows no {key}"
        assert isinstance(value, known[key]), (key, value)
        assert not isinstance(value, bool)


def moodle_feedback(path, participants):
    """The file that Moodle gives each participant, by number."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            folder, _, rest = name.partition("/")
            _, number, *plugin = folder.split("_", 4)
            assert plugin == ["assignsubmission", "file", ""]
            assert number in participants
            assert number not in found
            assert not re.match(r"[.~]", rest)
            found[number] = (rest, archive.read(name))
    return found
