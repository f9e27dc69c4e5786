import re
from html.parser import HTMLParser

import pytest
from export_samples import COURSE, assignment, graded, with_report

from autograder.course.result import ItemResult, Verdict
from autograder.export.feedback import write_feedback
from autograder.export.page import LOOKS

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
        self._style = tag == "style"

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
    return assignment(**{f"item_{verdict}": 2.0 for verdict in Verdict if verdict != "internal"})


def html_of(tmp_path, result, of):
    path = tmp_path / "feedback" / result.student[:4] / of.id / f"{of.id}.html"
    write_feedback(result, of, COURSE, path)
    return path.read_text()


def test_a_page_says_what_came_of_each_item(tmp_path, every_verdict):
    verdicts = [verdict for verdict in Verdict if verdict is not Verdict.INTERNAL]
    result = graded("s042", every_verdict, verdicts)

    page = Page(html_of(tmp_path, result, every_verdict))

    assert f"{COURSE} {every_verdict.title} s042 4 of 16 points" in page.text
    for item, shown in zip(every_verdict.items, verdicts, strict=True):
        points = "2 of 2" if shown in ("passed", "carried") else "0 of 2"
        symbol = LOOKS[shown].symbol
        said = f"why {item.id} is {shown}"
        more = f"{said} " if shown == "carried" else ""
        if shown not in ("passed", "carried"):
            more = f"mistake {next(at for at in range(1, 9) if f'{at} {said}' in page.text)} "
        assert f"{symbol} {item.title} {item.id} {more}{shown} {points}" in page.text
        assert (said in page.text) == (shown != "passed")
    assert "1 passed, 1 carried, 1 wrong" in page.text


def test_what_is_graded_by_hand_is_said(tmp_path):
    a1 = assignment(scale=2.0)
    assert "by hand" not in Page(html_of(tmp_path, graded("s042", a1), a1)).text
    text = Page(html_of(tmp_path, graded("s042", a1), with_report(a1))).text
    assert "2 of 2 points" in text
    assert "Graded by hand These are read by people." in text
    assert "The report report graded by hand worth 5" in text


def test_messages_keep_their_lines_and_a_diagnosis_follows(tmp_path):
    a1 = assignment(scale=2.0)
    (item,) = graded("s042", a1, [Verdict.WRONG]).items
    message = "attention(q (2, 5, 4)):\n  values differ, largest difference 0.41"
    diagnosed = item.model_copy(update={"message": message, "diagnosis": "Divided by d_k."})

    html = html_of(tmp_path, graded("s042", a1, items=(diagnosed,)), a1)

    assert re.search(rf"<pre[^>]*>{re.escape(message)}</pre>", html)
    assert Page(html).text.index("largest") < Page(html).text.index("Divided by d_k.")


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
    for sandbox in ("none", "sandlock", "bubblewrap"):
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
        a1 = assignment(first=3.0, second=2.0)
        wrong = ItemResult(
            item="first",
            title=text,
            points=3.0,
            score=0.0,
            verdict=Verdict.WRONG,
            message=text,
            diagnosis=text,
        )
        result = graded(
            f"s042{text}",
            a1,
            items=(wrong,),
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
    verdicts = [verdict for verdict in Verdict if verdict is not Verdict.INTERNAL]
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
    a1 = assignment()
    result = graded("s042", a1, [Verdict.PASSED, Verdict.WRONG, Verdict.ERROR])
    first = html_of(tmp_path, result, a1)
    versions = dict(reversed(result.versions.items()))
    later = result.model_copy(update={"seconds": 29.0, "versions": versions})
    assert html_of(tmp_path, later, a1) == first


def test_no_verdict_is_told_by_colour_alone(tmp_path, every_verdict):
    verdicts = [verdict for verdict in Verdict if verdict is not Verdict.INTERNAL]
    text = Page(html_of(tmp_path, graded("s042", every_verdict, verdicts), every_verdict)).text
    for shown in verdicts:
        assert shown in text
        assert LOOKS[shown].symbol in text
