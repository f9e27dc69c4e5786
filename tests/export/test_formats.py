"""What is gathered, summed up and written, where a whole class would be too much to set up."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import strict_readers
from export_samples import NAMED, assignment, graded, with_report
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import Verdict
from autograder.export import FORMATS, Gathered, NotThatSheet, State
from autograder.export.formats.cells import Key, as_csv, harmless, number
from autograder.export.formats.marks import About, Learner, Mark, Marks, Part, Total, Work, total

A1 = with_report(assignment())
POINTS = 11.5
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Notes,Essay (3),\
Scaled dot-product attention (77),Final Score
,,,,,,,Manual Posting,
    Points Possible,,,,,,10,11.5,(read only)
"Lovelace, Ada",11,x1,ada,A,own,9,2,81
"=Gal, ""Évariste"" G",12,,bob@example.org,A,,,4.25,
"Student, Test",99,,fedc,A,,,,
"""
MOODLE = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
Last modified (submission),Last modified (grade),Feedback comments
Participant 501,Ada Lovelace,ada@example.org,Submitted for grading - ,,11.50,Yes,\
"Sunday, 7 February 2027, 11:59 PM",-,
Participant 502,+Évariste,BOB@example.org,Submitted,4.25,11.50,Yes,-,-,"by hand, kept"
Participant 503,Nobody Known,no@example.org,No submission,,11.50,Yes,-,-,
"""


def about(of=A1, weight=None):
    parts = [
        Part(id=e.id, title=e.title, points=e.points, extra=False, by_people=e in of.manual)
        for e in (*of.items, *of.manual)
    ]
    weight = of.worth if weight is None else weight
    fields = {"id": of.id, "title": of.title, "due": None, "parts": parts, "extra": False}
    return About(points=of.worth, weight=weight, **fields)


def work(of, score=None, state=State.GRADED, result=None, comment=None):
    items = {each.item: each for each in result.items} if result else {}
    return Work(
        assignment=of.id,
        state=state,
        score=score,
        points=of.points,
        penalty=0.5 if score else 0.0,
        handed_in=None,
        seconds_late=0.0,
        late_days=0,
        marks=[
            Mark(
                part=each.id,
                score=None if score is None else items[each.id].score if each.id in items else 2.0,
                by_hand=each.by_people and score is not None,
                verdict=items[each.id].verdict if each.id in items else None,
                mistakes=(),
                comment=comment if each.by_people else None,
            )
            for each in of.parts
        ],
        mistakes=(),
    )


def learner(id, works, abouts, **fields):
    empty = dict.fromkeys(("first_name", "last_name", "email", "section"), "")
    fields = empty | {"name": id, "lms": {}} | fields
    return Learner(id=id, work=works, total=total(abouts, works), **fields)


@pytest.fixture
def gathered():
    """Ada has a score and a mistake, in a public and a hidden item; bob waits."""
    hidden = A1.items[1].model_copy(update={"visibility": "hidden"})
    of = A1.model_copy(update={"items": (A1.items[0], hidden, A1.items[2])})
    verdicts = [Verdict.PASSED, Verdict.WRONG, Verdict.CARRIED]
    result = graded("ada", of, verdicts).model_copy(update={"mistakes": (NAMED,)})
    one = about(of)
    ada = learner(
        "ada",
        [work(one, 7.25, result=result, comment="Good <i>plot")],
        [one],
        name="Ada Lovelace",
        email="ada@example.org",
        lms={"canvas": "11", "moodle": "501"},
    )
    bob = learner("bob", [work(one, state=State.WAITS)], [one], email="bob@example.org")
    marks = Marks(course="A course", assignments=[one], students=[ada, bob])
    return Gathered(marks, (of,), {(of.id, "ada"): result}, None)


def write(tmp_path, text):
    path = tmp_path / "theirs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_total_is_of_what_has_a_score_and_weighted():
    first, second = about(), about(A1.model_copy(update={"id": "b", "items": A1.items[:1]}))
    both = [work(first, 5.75), work(second, 8)]
    assert second.points == 8
    by_points = total([first, second], both)
    assert (by_points.score, by_points.points, by_points.without) == (13.75, 19.5, {})
    assert by_points.percent == pytest.approx(100 * 13.75 / 19.5)
    weighted = [
        each.model_copy(update={"weight": weight}) for each, weight in ((first, 3.0), (second, 1.0))
    ]
    assert total(weighted, both).percent == pytest.approx((3 * 50 + 1 * 100) / 4)
    waits = [work(first, 5.75), work(second, state=State.WAITS)]
    assert total(weighted, waits) == Total(
        score=5.75, points=11.5, percent=50, without={"b": State.WAITS}
    )
    none = [work(first, state=State.ABSENT), work(second, state=State.STAFF)]
    assert total(weighted, none).model_dump() == {
        "score": None,
        "points": None,
        "percent": None,
        "without": {first.id: "not handed in", "b": "needs staff"},
    }
    assert total(weighted[:1], [work(first, 0.0)]).percent == 0
    extra = [weighted[0], weighted[1].model_copy(update={"extra": True})]
    above = total(extra, both)
    assert (above.score, above.points) == (13.75, 11.5)
    assert above.percent == pytest.approx((3 * 50 + 1 * 100) / 3)
    unweighted = [first.model_copy(update={"weight": 0.0})]
    assert total(unweighted, both[:1]).percent is None


def test_canvas_gets_its_own_export_back_with_our_scores(gathered, tmp_path):
    filled = FORMATS["canvas"].fill(gathered, write(tmp_path, CANVAS))
    people = {"11": ("x1", "ada"), "12": ("", "bob@example.org"), "99": ("", "fedc")}
    grades, points = strict_readers.canvas(filled.content, people, {"77": "?"})
    assert points == {"77": POINTS}
    # bob waits: what Canvas has of him stays.
    assert grades == {("11", "77"): 7.25, ("12", "77"): 4.25, ("99", "77"): None}
    assert "'=Gal" in filled.content
    assert "Final Score" not in filled.content
    assert (filled.not_here, filled.not_there) == (("Student, Test",), ())
    semicolons = re.sub(',(?=(?:[^"]*"[^"]*")*[^"]*$)', ";", CANVAS, flags=re.MULTILINE)
    filled = FORMATS["canvas"].fill(gathered, write(tmp_path, "\ufeff" + semicolons))
    assert strict_readers.canvas(filled.content, people, {"77": "?"}, ";")[0] == grades


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (",11.5,", ",100,", "is worth 100 there, and 11.5 here"),
        ("Scaled dot-product", "Scale", "has no column for a1_attention"),
        ("Essay (3)", "a1_attention (3)", "has several columns for a1_attention"),
        ("Student,ID", "Name,ID", "is not Canvas's gradebook"),
        (",Final Score", ",Final Score,More", "cells, and the header has"),
        ('"Student, Test",99,,fedc', "Ada,11,,fedc", "more than one row for ada"),
    ],
)
def test_what_is_not_the_right_sheet_is_not_filled_in(gathered, tmp_path, old, new, why):
    assert old in CANVAS
    with pytest.raises(NotThatSheet, match=re.escape(why)):
        FORMATS["canvas"].fill(gathered, write(tmp_path, CANVAS.replace(old, new, 1)))


def test_what_canvas_lacks_is_left_out_and_told_and_the_others_are_filled_in(gathered, tmp_path):
    first, scored = gathered.marks.assignments[0], gathered.marks.students[0]
    ids = (first.id, "essay", "plots")
    points = (POINTS, 20.0, 5.0)
    abouts = [
        first.model_copy(update={"id": e, "points": n}) for e, n in zip(ids, points, strict=True)
    ]
    abouts[1:] = [each.model_copy(update={"title": each.id.title()}) for each in abouts[1:]]
    works = [scored.work[0].model_copy(update={"assignment": each}) for each in ids]
    ada = scored.model_copy(update={"work": tuple(works)})
    marks = gathered.marks.model_copy(update={"assignments": tuple(abouts), "students": (ada,)})
    filled = FORMATS["canvas"].fill(replace(gathered, marks=marks), write(tmp_path, CANVAS))
    people = {"11": ("x1", "ada"), "12": ("", "bob@example.org"), "99": ("", "fedc")}
    grades, found = strict_readers.canvas(filled.content, people, {"77": "?"})
    assert found == {"77": POINTS}
    assert grades["11", "77"] == 7.25
    essay, plots = filled.left_out
    assert "essay is worth 10 there, and 20 here" in essay
    assert "has no column for plots: one assignment in Canvas must be called 'Plots'" in plots


def test_a_row_that_names_two_is_nobodys(gathered, tmp_path):
    mixed = CANVAS.replace("11,x1,ada", "11,x1,bob")
    filled = FORMATS["canvas"].fill(gathered, write(tmp_path, mixed))
    assert filled.not_here == ("Lovelace, Ada", "Student, Test")
    assert filled.not_there == ("Ada Lovelace",)
    one, other = gathered.marks.students
    both = (one, other.model_copy(update={"lms": {"login": "ada"}}))
    doubled = replace(gathered, marks=gathered.marks.model_copy(update={"students": both}))
    unsure = CANVAS.replace("11,x1,ada", "10,x1,ada")
    filled = FORMATS["canvas"].fill(doubled, write(tmp_path, unsure))
    assert filled.not_here == ("Lovelace, Ada", "Student, Test")


def test_moodle_gets_its_own_worksheet_back_with_our_scores(gathered, tmp_path):
    path = write(tmp_path, MOODLE)
    filled = FORMATS["moodle"].fill(gathered, path)
    numbers = {"501", "502", "503"}
    taken = strict_readers.moodle(filled.content, numbers, POINTS)
    grade, comment = taken["501"]
    assert grade == 7.25
    assert comment == (
        "From the grader: Late: 0.5 points less.<br>1. The scores are not scaled. "
        'Line 3: "scores = q @ k.mT". '
        "Costs 2 of 6.5 points.<br>The report: Good &lt;i&gt;plot"
    )
    assert taken["502"] == (4.25, "by hand, kept")
    assert taken["503"] == ("", "")
    assert filled.not_here == ("Nobody Known",)
    assert "'+Évariste" in filled.content
    # A comment of ours is replaced, one of theirs is kept.
    again = FORMATS["moodle"].fill(gathered, write(tmp_path, filled.content.replace("Late", "No")))
    assert strict_readers.moodle(again.content, numbers, POINTS)["501"] == (grade, comment)
    theirs = write(tmp_path, filled.content.replace("From the grader", "Mine"))
    kept = FORMATS["moodle"].fill(gathered, theirs)
    assert strict_readers.moodle(kept.content, numbers, POINTS)["501"][1].startswith("Mine")
    with pytest.raises(NotThatSheet, match=r"lacks Last modified \(grade\)"):
        FORMATS["moodle"].fill(gathered, write(tmp_path, MOODLE.replace("(grade)", "(note)")))
    with pytest.raises(NotThatSheet, match="is worth 100 there"):
        FORMATS["moodle"].fill(gathered, write(tmp_path, MOODLE.replace("11.50", '"100,00"')))
    with pytest.raises(NotThatSheet, match="with Moodle in English"):
        FORMATS["moodle"].fill(gathered, write(tmp_path, MOODLE.replace("Grade,", "Note,")))


def test_moodle_reads_backslashes_and_quotes_of_a_comment(gathered, tmp_path):
    ada, bob = gathered.marks.students
    marks = tuple(
        each.model_copy(
            update={"comment": r'Why "\"\n, and "\", then \\' if each.by_hand else None}
        )
        for each in ada.work[0].marks
    )
    work = (ada.work[0].model_copy(update={"marks": marks}),)
    both = (ada.model_copy(update={"work": work}), bob)
    said = replace(gathered, marks=gathered.marks.model_copy(update={"students": both}))
    filled = FORMATS["moodle"].fill(said, write(tmp_path, MOODLE))
    comment = strict_readers.moodle(filled.content, {"501", "502", "503"}, POINTS)["501"][1]
    assert html.unescape(comment).endswith(r'Why "\"\n, and "\", then \\')


def test_gradescope_shows_a_hidden_item_and_its_mistake_after_grades_are_published(
    gathered, tmp_path
):
    path = tmp_path / "autograder.zip"
    path.write_bytes(FORMATS["gradescope"].write(gathered))
    (result,) = strict_readers.gradescope(path).values()
    assert result["score"] == 7.25
    assert result["output"] == "Handed in late: 0.5 points less."
    public, hidden, carried, report = result["tests"]
    assert [each["visibility"] for each in result["tests"]] == [
        *("visible", "after_published", "visible", "after_published")
    ]
    said = "The scores are not scaled."
    assert [said in each["output"] for each in result["tests"]] == [False, True, False, False]
    assert public["output"] == "attention_output: passed (3 of 3)"
    assert hidden["score"] == 0
    assert "right except for mistake 1" in carried["output"]
    assert report["output"] == "People gave 2 of 5.\n\nGood <i>plot"


def test_students_are_told_no_more_than_the_course_wants(gathered, tmp_path):
    (of,) = gathered.assignments
    silent = replace(gathered, assignments=(of.model_copy(update={"feedback": "verdict"}),))
    path = tmp_path / "autograder.zip"
    path.write_bytes(FORMATS["gradescope"].write(silent))
    (result,) = strict_readers.gradescope(path).values()
    assert result["tests"][1]["output"] == "attention_scale: wrong (0 of 2)"
    filled = FORMATS["moodle"].fill(silent, write(tmp_path, MOODLE))
    assert "scaled" not in filled.content


def test_a_comment_of_one_of_several_mistakes_reads_well(gathered, tmp_path):
    either = NAMED.model_copy(update={"what": ("It is this.", "It is that.")})
    (key,) = gathered.results
    results = {key: gathered.results[key].model_copy(update={"mistakes": (either,)})}
    filled = FORMATS["moodle"].fill(replace(gathered, results=results), write(tmp_path, MOODLE))
    assert "nothing tells here which: It is this. Or: It is that." in filled.content


def test_a_file_in_the_zip_is_named_by_what_is_a_name(gathered):
    (ada, _) = gathered.marks.students
    known = FORMATS["gradescope"].known
    assert known(ada)
    for email in ("", "../../x", "a/b@example.org", ".hidden", "a b@example.org"):
        assert not known(ada.model_copy(update={"email": email}))
    assert known(ada.model_copy(update={"email": "", "lms": {"gradescope": "1234"}}))


def test_the_schema_in_the_docs_is_that_of_what_is_written():
    path = Path(__file__).parents[2] / "docs" / "export.schema.json"
    assert json.loads(path.read_text()) == Marks.model_json_schema()


def test_numbers_are_read_alike_everywhere():
    assert [number(each) for each in (None, 0.0, 0.1 + 0.2, 7, 2.50, 1 / 3, 1e-9)] == [
        *("", "0", "0.3", "7", "2.5", "0.3333", "0")
    ]


def test_no_cell_becomes_one_where_lists_are_separated_otherwise():
    assert harmless('Eve;=HYPERLINK("http://x")') == 'Eve;\'=HYPERLINK("http://x")'
    assert harmless("Eve|\t@SUM(1)") == "Eve|\t'@SUM(1)"
    assert harmless("Eve;-2+3+cmd|' /C calc'!A0").startswith("Eve;'-2+3")
    assert harmless("expected 2; got -1; 3 = 3") == "expected 2; got -1; 3 = 3"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"))))
def test_no_cell_is_a_formula_and_every_other_text_is_itself(texts):
    row = [*texts, "end"]
    (read,) = strict_readers.csv.reader(
        strict_readers.io.StringIO(as_csv([row]), newline=""), strict=True
    )
    for text, cell in zip(row, read, strict=True):
        if not re.search(r"[;|\t]", text):
            assert cell in (text, f"'{text}")
        assert cell.replace("'", "") == text.replace("'", "")
        assert not re.match(r" *[=+@\t\r\n-].", cell, re.DOTALL)
        assert not re.search(r"[;|\t]\s*[=+@\uff1d\uff0b\uff20]", cell)
        assert (cell == text) == (harmless(text) == text)
    (same,) = strict_readers.csv.reader(
        strict_readers.io.StringIO(as_csv([[Key(each) for each in row]]), newline=""), strict=True
    )
    assert same == row
