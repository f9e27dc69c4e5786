import re
from html.parser import HTMLParser
from itertools import count

import pytest
from export_samples import (
    COURSE,
    NAMED,
    SCORED,
    UNKNOWN,
    assignment,
    graded,
    with_mistakes,
    with_report,
)

from autograder.course.result import ItemResult, Mistake, Place, SmallestExample, Verdict
from autograder.export.feedback import write_feedback
from autograder.export.page import LOOKS
from autograder.export.standing import Standing
from autograder.sandbox.walls import WALLS

HOSTILE = (
    "</pre></title></style><script>alert(1)</script><img src=x onerror=alert(2)>"
    '" onmouseover="alert(3)\' {{ 7 * 7 }} {% raw %} <!-- &lt; javascript:alert(4)'
)


class Page(HTMLParser):
    """A page as a browser reads it: its tags with their attributes, and its visible text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self._style = [], [], False
        self.feed(html)
        self.close()
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(attrs)))
        self._style = tag in ("style", "script")

    def handle_endtag(self, tag):
        self._style = False

    def handle_data(self, data):
        if not self._style:
            self.texts.append(data)

    @property
    def structure(self):
        return [(tag, tuple(name for name, _ in attrs)) for tag, attrs in self.tags]


@pytest.fixture
def every_verdict():
    return assignment(**{f"item_{verdict}": 2.0 for verdict in SCORED})


def html_of(tmp_path, result, of):
    path = tmp_path / "feedback" / result.student[:4] / of.id / f"{of.id}.html"
    write_feedback(result, of, COURSE, path)
    return path.read_text()


def test_a_page_says_what_came_of_each_item(tmp_path, every_verdict):
    verdicts = SCORED
    result = graded("s042", every_verdict, verdicts)

    page = Page(html_of(tmp_path, result, every_verdict))
    numbers = count(1)

    assert f"{COURSE} {every_verdict.title} s042 4 of 16 points" in page.text
    for item, shown in zip(every_verdict.items, verdicts, strict=True):
        points = "2 of 2" if shown in ("passed", "carried") else "0 of 2"
        symbol = LOOKS[shown].symbol
        said = f"why {item.id} is {shown}"
        kept = {"passed": "", "carried": f"{said} "}
        told = kept[shown] if shown in kept else f"mistake {next(numbers)} "
        assert f"{symbol} {item.title} {item.id} {told}{shown} {points}" in page.text
        assert (said in page.text) == (shown != "passed")
    assert "1 passed, 1 carried, 1 wrong" in page.text


def test_what_is_graded_by_hand_is_said(tmp_path):
    a1 = assignment(scale=2.0)
    assert "by hand" not in Page(html_of(tmp_path, graded("s042", a1), a1)).text
    text = Page(html_of(tmp_path, graded("s042", a1), with_report(a1))).text
    assert "2 of 2 points" in text
    assert "Graded by hand These are read by people." in text
    assert "The report report graded by hand worth 5" in text


def test_what_people_write_is_shown_as_markdown_without_html(tmp_path):
    """Their box in the formgrader takes it; what they quote of a submission stays text."""
    links = "- [see](https://x.org) [not](javascript:alert(1))"
    said = f"**half** right: `sqrt` is\nhere\n\n{links}\n{HOSTILE}"
    a1, path = with_report(assignment(scale=2.0)), tmp_path / "page.html"
    standing = Standing(0.0, 0.0, {"report": 2.5}, {}, {"report": said, "solution_scale": said})
    write_feedback(graded("s042", a1), a1, COURSE, path, standing)
    page = Page(path.read_text())
    assert "half right: sqrt is here" in page.text
    assert {"strong", "br", "li"} <= {tag for tag, _ in page.tags}
    links = [dict(attrs).get("href") for tag, attrs in page.tags if tag == "a"]
    assert links.count("https://x.org") == 2
    assert not any("javascript" in (each or "") for each in links)
    assert not any(tag in ("script", "img") for tag, _ in page.tags)


def test_a_mistake_for_which_people_gave_points_says_so(tmp_path):
    a1, result = with_mistakes()
    path, told = tmp_path / "page.html", "Whoever read it gave other points there, which count."
    for by_hand, times in (({"attention_scale": 1.5}, 1), ({"attention_mask": 0.0}, 0), ({}, 0)):
        standing = Standing(0.0, 0.0, by_hand, {}, {})
        write_feedback(result, a1, COURSE, path, standing)
        assert Page(path.read_text()).text.count(told) == times


def test_mistakes_come_first_and_each_is_told_once(tmp_path):
    a1, result = with_mistakes()
    html = html_of(tmp_path, result, a1)
    first, items = Page(html).text.split("Item by item")
    for text in (NAMED.what[0], NAMED.think[0], NAMED.proof, NAMED.place.source, UNKNOWN.proof):
        assert first.count(text) == 1
        assert text not in items
    words = re.sub("<[^>]*>", "", html)
    assert "Costs 2 of 6.5 points, at Attention scale. Touches also Attention mask." in words
    assert "Attention scale attention_scale mistake 1 wrong 0 of 2" in items
    carried = "Attention mask attention_mask right except for mistake 1 carried 1.5 of 1.5"
    assert carried in items
    assert "Attention output attention_output mistake 2 wrong 0 of 3" in items


def test_links_lead_to_the_mistakes_and_back(tmp_path):
    a1, result = with_mistakes()
    attributes = [dict(attrs) for _, attrs in Page(html_of(tmp_path, result, a1)).tags]
    ids = {each["id"] for each in attributes if "id" in each}
    links = [each["href"] for each in attributes if each.get("href", "").startswith("#")]
    assert {"#mistake-1", "#mistake-2", "#attention_scale", "#attention_mask"} <= set(links)
    assert {each.removeprefix("#") for each in links} <= ids
    assert {each["title"] for each in attributes if each.get("href") == "#mistake-1"} == {
        NAMED.what[0]
    }


def test_evidence_is_folded_away_where_a_mistake_tells_of_it(tmp_path):
    a1, result = with_mistakes()
    for feedback, opened in (("diagnosis", 0), ("message", 2)):
        told = a1.model_copy(update={"feedback": feedback})
        html = html_of(tmp_path, result, told)
        details = [dict(attrs) for tag, attrs in Page(html).tags if tag == "details"]
        assert len(details) == 2
        assert sum("open" in each for each in details) == opened
        assert "why attention_scale is wrong" in html


@pytest.mark.parametrize("feedback", ["message", "verdict"])
def test_a_course_that_tells_of_no_mistake_has_no_cards(tmp_path, feedback):
    a1, result = with_mistakes()
    html = html_of(tmp_path, result, a1.model_copy(update={"feedback": feedback}))
    for text in ("Mistake by mistake", NAMED.what[0], UNKNOWN.example.call, "mistake-1"):
        assert text not in html


def test_the_smallest_example_is_a_table_of_theirs_beside_what_is_right(tmp_path):
    a1, result = with_mistakes()
    page = Page(html_of(tmp_path, result, a1))
    assert "f(x=[[1, 2]])" in page.text
    assert "output yours 2 1 right 1 1" in page.text
    marked = [dict(attrs) for tag, attrs in page.tags if tag == "td"]
    assert [each.get("class") for each in marked] == ["off", None, None, None]


def test_messages_keep_their_lines(tmp_path):
    a1 = assignment(scale=2.0)
    (item,) = graded("s042", a1, [Verdict.WRONG]).items
    message = "attention(q (2, 5, 4)):\n  values differ, largest difference 0.41"
    html = html_of(
        tmp_path,
        graded("s042", a1, items=(item.model_copy(update={"message": message}),)),
        a1,
    )
    kept = re.search(rf'<p class="(\w+)">Asked: {re.escape(message)}</p>', html)
    assert re.search(rf"\.{kept[1]} {{[^}}]*white-space: pre-line", html)


def test_an_item_without_a_message_still_says_what_its_verdict_means(tmp_path):
    a1 = assignment(scale=2.0)
    (item,) = graded("s042", a1, [Verdict.MISSING]).items
    silent = item.model_copy(update={"message": None})
    page = Page(html_of(tmp_path, graded("s042", a1, items=(silent,)), a1))
    assert LOOKS[Verdict.MISSING].meaning in page.text


def test_notes_are_shown_as_costing_nothing(tmp_path):
    a1 = assignment()
    noted = graded("s042", a1, notes=("The magic %timeit was set aside.",))
    text = Page(html_of(tmp_path, noted, a1)).text
    assert "Noted, at no cost The magic %timeit was set aside." in text
    assert "at no cost" not in Page(html_of(tmp_path, graded("s042", a1), a1)).text


def test_of_what_cannot_be_read_a_student_is_told_what_to_do(tmp_path):
    a1 = assignment(first=3.0, second=2.0)
    result = graded("s042", a1, [Verdict.UNREADABLE] * 2, submission_sha256=None)
    staffs = "It is a zip: put the notebook in it there, and grade again."
    items = tuple(each.model_copy(update={"message": staffs}) for each in result.items)
    result = result.model_copy(update={"items": items})
    page = Page(html_of(tmp_path, result, a1))
    assert "Please hand this in again." in page.text
    assert f"Hand in the notebook itself, as {a1.id}.ipynb , and see that" in page.text
    for not_theirs in ("zip: put", "grade again", "our side", "Staff are", "Item by item", "found"):
        assert not_theirs not in page.text
    assert result.unreadable == staffs


def test_what_was_dropped_is_told_quietly_and_last(tmp_path):
    a1, result = with_mistakes()
    scale = a1.items[1].model_copy(update={"dropped": "its text was wrong", "points": 0.0})
    a1 = a1.model_copy(update={"items": (a1.items[0], scale, a1.items[2])})
    lost = result.items[1].model_copy(update={"points": 0.0})
    result = result.model_copy(update={"items": (result.items[0], lost, result.items[2])})
    only = NAMED.model_copy(update={"items": (scale.id,), "costs": {}})
    result = result.model_copy(update={"mistakes": (only, UNKNOWN)})

    html = html_of(tmp_path, result, a1)

    text = Page(html).text
    assert "1 wrong, 1 carried" not in text  # which would count it
    assert "1 carried, 1 wrong Mistake by mistake 1 Not yet explained" in text
    assert f"2 Does not count: {NAMED.what[0]}" in text
    assert "Does not count . Touches Attention scale" in text
    assert "its text was wrong mistake 2 wrong not counted" in text
    assert "0 of 0" not in text
    assert html.count('class="card aside"') == 1
    assert 'title="Attention scale: wrong"' not in html  # the strip shows what there are points for


def test_our_own_fault_shows_no_score_and_none_of_its_words(tmp_path):
    a1 = assignment(first=3.0, second=2.0)
    result = graded("s042", a1, [Verdict.PASSED, Verdict.INTERNAL])
    lost = result.items[1].model_copy(
        update={"message": "FOR-STAFF /srv/hidden", "diagnosis": "FOR-STAFF too"}
    )
    result = result.model_copy(update={"items": (result.items[0], lost)})

    html = html_of(tmp_path, result, a1)

    text = Page(html).text
    assert "FOR-STAFF" not in html
    assert "Staff are looking at this submission." in text
    assert "You have lost no points" in text
    assert not re.search(r"\d of \d", text)
    assert "None" not in html


def test_a_submission_that_was_never_read_has_a_page_too(tmp_path):
    a1 = assignment()
    nothing = graded("s042", a1, score=None, items=(), submission_sha256=None)
    text = Page(html_of(tmp_path, nothing, a1)).text
    assert "No submission was found" in text
    assert "Staff are looking at this submission." in text


def test_grading_without_a_sandbox_is_said(tmp_path):
    a1 = assignment()
    for sandbox in WALLS:
        text = Page(html_of(tmp_path, graded("s042", a1, sandbox=sandbox), a1)).text
        assert ("Graded without a sandbox" in text) == (sandbox == "none")


def test_the_footer_names_submission_versions_and_secret(tmp_path):
    a1 = assignment()
    text = Page(html_of(tmp_path, graded("s042", a1), a1)).text
    assert "Submission abababababab · hidden cases 5e1f0c2a" in text
    assert "autograder 0.1.0 · python 3.11.9 · torch 2.6.0" in text
    assert "ab" * 32 not in text


def test_no_text_of_a_result_can_become_markup(tmp_path):
    def page(text):
        example = SmallestExample(
            call=text, weights=text, problem=text, of=text, expected=(text,), got=("",)
        )
        a1 = assignment(first=3.0, second=2.0)
        wrong = ItemResult(
            item="first",
            title=text,
            points=3.0,
            score=0.0,
            verdict=Verdict.WRONG,
            message=text,
            diagnosis=text,
            example=example,
        )
        mistake = Mistake(
            kind="named",
            what=(text,),
            think=(text,),
            proof=text,
            place=Place(cell=text, line=1, source=text),
            example=example,
            items=("first",),
            costs={"first": 3.0},
        )
        result = graded(
            f"s042{text}",
            a1,
            items=(wrong,),
            mistakes=(mistake, mistake.model_copy(update={"what": (text, text)})),
            score=0.0,
            notes=(text,),
            versions={text: text},
            secret_fingerprint=text,
            submission_sha256=text,
        )
        a1 = a1.model_copy(update={"title": text})
        path = tmp_path / "page.html"
        write_feedback(result, a1, text, path)
        return Page(path.read_text())

    hostile = page(HOSTILE)

    assert hostile.structure == page("harmless").structure
    assert HOSTILE in "".join(hostile.texts)
    assert not any(tag in ("script", "img") for tag, _ in hostile.tags)


def test_what_steers_a_terminal_is_not_passed_on(tmp_path):
    a1 = assignment()
    html = html_of(tmp_path, graded("s042", a1, notes=("\x1b[2J \u202e \x00",)), a1)
    assert not set(html) & {"\x1b", "\u202e", "\x00"}


def test_a_page_needs_nothing_but_itself(tmp_path, every_verdict):
    verdicts = SCORED
    html = html_of(tmp_path, graded("s042", every_verdict, verdicts), every_verdict)
    page = Page(html)
    assert {tag for tag, _ in page.tags}.isdisjoint(
        {"script", "link", "img", "iframe", "object", "embed", "video", "audio", "base", "form"}
    )
    assert not re.search(r"://|url\(|@import|@font-face", html)
    attributes = [name for _, attrs in page.tags for name, _ in attrs]
    assert not [name for name in attributes if name.startswith("on") or name == "src"]
    assert "default-src 'none'" in html


def test_the_same_result_gives_the_same_bytes(tmp_path):
    a1, result = with_mistakes()
    first = html_of(tmp_path, result, a1)
    versions = dict(reversed(result.versions.items()))
    later = result.model_copy(update={"seconds": 29.0, "versions": versions})
    assert html_of(tmp_path, later, a1) == first


def test_no_verdict_is_told_by_colour_alone(tmp_path, every_verdict):
    verdicts = SCORED
    text = Page(html_of(tmp_path, graded("s042", every_verdict, verdicts), every_verdict)).text
    for shown in verdicts:
        assert shown in text
        assert LOOKS[shown].symbol in text
