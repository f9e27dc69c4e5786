import re
from statistics import fmean, median
from urllib.parse import unquote

import pytest
from export_samples import COURSE, NAMED, UNKNOWN, assignment, graded, with_mistakes, with_report
from test_feedback import HOSTILE, Page

from autograder.course.result import Mistake, Place, Verdict
from autograder.export.dashboard import write_class_page
from autograder.export.page import LOOKS, number
from autograder.export.people import Who
from autograder.export.standing import Standing

VERDICTS = list(Verdict)


def a_class(size, of):
    """Students with all kinds of verdicts; every tenth is our fault."""

    def verdicts(n):
        kinds = [VERDICTS[(n * 5 + i * 3) % 8] for i in range(len(of.items))]  # none internal
        return [Verdict.INTERNAL, *kinds[1:]] if n % 10 == 9 else kinds

    return [graded(f"s{n:03}", of, verdicts(n)) for n in range(size)]


def html_of(tmp_path, results, of, links=None):
    path = tmp_path / "class" / "index.html"
    write_class_page(results, of, COURSE, path, links or {})
    return path.read_text()


def heat_map(html):
    """The heat map as {student: ([verdict of each item], score)}."""
    table = re.search(r'<table class="heat" id="everyone".*?</table>', html, re.S)
    rows = re.findall(r"<tr[^>]*><th scope=\"row\">(.*?)</th>(.*?)</tr>", table[0], re.S)
    return {
        re.sub(r"<.*?>", "", who.partition(' <span class="flag')[0]).strip(): (
            re.findall(r'<td class="v-(\w+)"', cells),
            re.search(r'class="sum"><b>(.*?)<', cells)[1],
        )
        for who, cells in rows
    }


@pytest.mark.parametrize("size", [1, 24, 300])
def test_the_heat_map_has_every_student_and_item(tmp_path, size):
    a1 = assignment()
    results = a_class(size, a1)

    shown = heat_map(html_of(tmp_path, list(reversed(results)), a1))

    assert list(shown) == [result.student for result in results]  # sorted
    for result in results:
        verdicts, score = shown[result.student]
        assert verdicts == [item.verdict for item in result.items]
        assert score == number(result.score)


def test_nobody_yet(tmp_path):
    html = html_of(tmp_path, [], assignment())
    text = Page(html).text
    assert "Nobody has been graded yet." in text
    assert "0 of 0 graded" in text or "graded 0 of 0" in text
    assert "None" not in text
    assert "nan" not in text


def test_the_figures_leave_out_those_without_a_score(tmp_path):
    a1 = assignment()
    results = a_class(24, a1)
    scores = [result.score for result in results if result.score is not None]
    assert len(scores) == 22

    text = Page(html_of(tmp_path, results, a1)).text

    assert "graded 22 of 24 need staff 2" in text
    assert f"mean score {number(fmean(scores))} of 6.5" in text
    assert f"median score {number(median(scores))} of 6.5" in text


@pytest.mark.parametrize("maximum", [0.5, 1.5, 6.5, 10, 22, 100, 5000])
def test_the_histogram_counts_every_score_once(tmp_path, maximum):
    a1 = assignment(all_of_it=maximum)
    (item,) = graded("s000", a1).items
    scores = [maximum * n / 40 for n in range(41)]
    results = [
        graded(f"s{n:03}", a1, items=(item.model_copy(update={"score": score}),), score=score)
        for n, score in enumerate(scores)
    ]

    html = html_of(tmp_path, results, a1)

    bars = re.findall(r'title="from (\S+) to less than (\S+): (\d+)"', html)
    assert 1 <= len(bars) <= 12
    assert sum(int(count) for *_, count in bars) == len(scores) - 1
    assert 'title="full marks: 1"' in html
    assert bars[0][0] == "0"
    assert float(bars[-1][1]) == maximum
    assert [low for low, *_ in bars[1:]] == [high for _, high, _ in bars[:-1]]
    for low, high, count in bars:
        inside = [score for score in scores if float(low) <= score < float(high)]
        assert int(count) == len(inside)
    edges = re.findall(r"<span><b>(.*?)</b></span>", html)
    assert edges == [*(low for low, *_ in bars), number(maximum)]


def test_a_score_beyond_the_maximum_is_in_the_last_bar(tmp_path):
    a1 = assignment()
    html = html_of(tmp_path, [graded("s001", a1, score=9.0)], a1)
    assert 'title="full marks: 1"' in html


def test_both_axes_have_titles(tmp_path):
    text = Page(html_of(tmp_path, [graded("s", of := assignment())], of)).text
    assert "Scores students 1 0 1 2 3 4 5 6 6.5 points; " in text


def test_each_item_says_how_many_passed_and_what_else(tmp_path):
    a1 = assignment(first=1.0, second=1.0)
    passed, wrong, error = Verdict.PASSED, Verdict.WRONG, Verdict.ERROR
    kinds = [[passed, wrong], [passed, error], [wrong, wrong], [passed, passed]]
    results = [graded(f"s{n}", a1, verdicts) for n, verdicts in enumerate(kinds)]

    html = html_of(tmp_path, results, a1)

    table = re.search(r'<table class="table by-item".*?</table>', html, re.S)[0]
    assert re.findall(r'title="(\d \w+)"', table) == [
        *("3 passed", "1 wrong"),
        *("1 passed", "2 wrong", "1 error"),
    ]
    assert "First 1 ✓ 3 ✗ 1 1 0.75 Second 1 ✓ 1 ✗ 2 ! 1 3 0.25" in Page(table).text


def test_the_mistakes_that_most_make_come_first_with_what_they_cost(tmp_path):
    of, result = with_mistakes()
    raised = Mistake(kind="error", what=("NameError: no q",), items=(), costs={"first": 6.0})
    made = {"s001": (NAMED, UNKNOWN), "s002": (NAMED, NAMED), "s003": (UNKNOWN, raised), "s004": ()}
    results = [
        result.model_copy(update={"student": student, "mistakes": mistakes})
        for student, mistakes in made.items()
    ]
    page = Page(html_of(tmp_path, results, of))
    assert (
        "made by mistake points lost each "
        "2 of 4 Attention output: a mistake without a name. s001, s003 6 3 "
        "2 of 4 The scores are not scaled. s001, s002 6 3 "
        "1 of 4 NameError: no q s003 6 6 Item by item" in page.text
    )
    leads_to = [dict(attrs)["data-who"] for _, attrs in page.tags if "data-who" in dict(attrs)]
    assert leads_to == ["0 2", "0 1", "2"]


def test_mistakes_without_a_name_are_kept_apart_by_cell_with_their_lines(tmp_path):
    of, result = with_mistakes()

    def at(cell, line, source, kind="line", **more):
        place = Place(cell=cell, line=line, source=source)
        return Mistake(kind=kind, what=("x",), place=place, items=(), costs={"a": 2.0}, **more)

    made = {
        "s001": (at("scale", 3, "  q / 2"),),
        "s002": (at("mask", 4, "m < 0"), at("mask", 5, "m - 1")),
        "s003": (at("mask", 4, "<b>", kind="error"), UNKNOWN),
        "s004": (at("mask", 7, "~m"), at("scale", 1, "pass", kind="unknown")),
    }
    results = [
        result.model_copy(update={"student": student, "mistakes": mistakes})
        for student, mistakes in made.items()
    ]
    assert (
        "2 of 4 In the cell mask: a mistake without a name, that one line puts right. "
        "s002: line 4 of the cell mask, m < 0 ; line 5 of the cell mask, m - 1 "
        "s004: line 7 of the cell mask, ~m 6 3 "
        "1 of 4 Attention output: a mistake without a name. s003 3 3 "
        "1 of 4 In the cell scale: a mistake without a name, that one line puts right. "
        "s001: line 3 of the cell scale, q / 2 2 2 "
        "1 of 4 In the cell scale: a mistake without a name. "
        "s004: line 1 of the cell scale, pass 2 2 "
        "1 of 4 x s003: line 4 of the cell mask, <b> 2 2 "
    ) in Page(html_of(tmp_path, results, of)).text


def test_who_has_no_score_counts_neither_as_wrong_nor_among_those_graded(tmp_path):
    a1 = assignment(first=1.0, second=1.0)
    unread, internal = Verdict.UNREADABLE, Verdict.INTERNAL
    kinds = [[Verdict.WRONG] * 2, [unread] * 2, [internal, Verdict.PASSED]]
    results = [
        graded(f"s{n}", a1, kind, mistakes=(NAMED,) * (n != 1)) for n, kind in enumerate(kinds)
    ]
    text = Page(html_of(tmp_path, results, a1)).text
    assert "graded 1 of 3" in text
    assert "1 of 1 The scores are not scaled. s0 2 2" in text
    assert "First 1 ✗ 1 ¿ 1 ? 1 1 0" in text


def test_of_many_mistakes_the_rest_is_counted(tmp_path):
    of, result = with_mistakes()
    many = tuple(NAMED.model_copy(update={"what": (f"Mistake {at}.",)}) for at in range(17))
    page = Page(html_of(tmp_path, [result.model_copy(update={"mistakes": many})], of))
    assert page.text.count("1 of 1 Mistake ") == 17
    assert "And 2 more, each made by 1 at most" in page.text
    assert "Mistakes that the class makes" not in html_of(tmp_path, [graded("s", of)], of)


def test_what_is_our_fault_stands_before_the_scores_with_its_words(tmp_path):
    a1 = assignment()
    html = html_of(tmp_path, a_class(24, a1), a1)
    text = Page(html).text
    assert text.index("s009, s019 have no score") < text.index("Scores")
    assert text.count("why attention_output is internal") == 1
    assert "Staff must look" not in Page(html_of(tmp_path, a_class(5, a1), a1)).text


def test_a_result_with_neither_score_nor_items_still_asks_for_staff(tmp_path):
    a1 = assignment()
    html = html_of(tmp_path, [graded("s001", a1, items=(), score=None)], a1)
    assert "s001 has no score" in Page(html).text
    assert heat_map(html) == {"s001": ([], number(None))}


def test_grading_without_a_sandbox_is_said(tmp_path):
    a1 = assignment()
    results = [graded("s001", a1, sandbox="none"), graded("s002", a1)]
    assert "1 of 2 graded without a sandbox" in Page(html_of(tmp_path, results, a1)).text
    assert "without a sandbox" not in html_of(tmp_path, results[1:], a1)


def test_people_have_their_names_and_whoever_is_missing_is_told(tmp_path):
    a1 = assignment()
    known = {"s001": Who("s001", "Ada L"), "s002": Who("s002", "Bob B", email="b@example.org")}
    people = known | {"s003": Who("s003", "Cleo C"), "s004": Who("s004", "s004", listed=False)}
    results = [graded(student, a1) for student in ("s001", "s004")]
    path = tmp_path / "page.html"
    write_class_page(results, a1, COURSE, path, {}, {}, people, ungraded={"s003"})
    text = Page(path.read_text()).text
    assert "1 handed in and not graded yet Cleo C s003" in text
    assert "1 not handed in Bob B s002 b@example.org" in text
    assert "Ada L s001 6.5" in text
    assert "s004 not on the roster 6.5" in text
    assert "not handed in 1 not on the roster 1 mean score" in text


def test_time_and_limits_are_told(tmp_path):
    a1 = assignment(first=1.0, second=1.0)
    passed, timeout, memory = Verdict.PASSED, Verdict.TIMEOUT, Verdict.MEMORY
    kinds = [[passed, passed], [timeout, timeout], [timeout, passed], [memory, passed]]
    results = [graded(f"s{n}", a1, kind, seconds=2.0 * n) for n, kind in enumerate(kinds)]
    text = Page(html_of(tmp_path, results, a1)).text
    said = (
        "Time: to grade a submission took 3.0 s (median) and 6.0 s at most, the search for its "
        "mistakes included. Its own code may take 30 s in all, and 5 s for a call. 2 ran into it."
    )
    assert f"{said} Memory: 1024 MiB allowed. 1 ran into it." in text
    assert "Nobody ran" in Page(html_of(tmp_path, results[:1], a1)).text


def test_what_an_item_tells_is_said_of_a_class_that_is_large_enough(tmp_path):
    a1 = assignment(strong=1.0, chance=1.0, turned=1.0, others=4.0)
    passed, wrong = Verdict.PASSED, Verdict.WRONG

    def verdicts(n):
        strong, even = n < 20, n % 2
        return [passed if has else wrong for has in (strong, even, not strong, strong)]

    results = [graded(f"s{n:03}", a1, verdicts(n)) for n in range(40)]
    table = Page(html_of(tmp_path, results, a1)).text.partition("Item by item")[2]
    for item, note in (
        ("Strong", "Chance"),  # nothing is said of it
        ("Chance", "tells strong from weak badly Turned"),
        ("Turned", "strong lose it more often than weak Others"),
    ):
        assert re.search(rf"{item} 1 ✓ 20 ✗ 20 20 0.5 -?[\d.]+ {note}", table)
    few = Page(html_of(tmp_path, results[:29], a1)).text
    assert "29 submissions have a score, and below 30 such a figure is chance" in few
    assert "discrimination" not in few


def test_what_is_graded_by_hand_is_said(tmp_path):
    a1 = assignment()
    results = [graded("s001", a1)]
    assert "by hand" not in html_of(tmp_path, results, a1)
    text = Page(html_of(tmp_path, results, with_report(a1))).text
    assert "Graded by hand, and not in the scores of the checks: 5 points." in text
    assert "The report (5): given to 0" in text


def test_an_answer_that_was_left_as_it_was_counts_as_nothing_in_the_mean_share(tmp_path):
    """Nobody reads it, and it has 0 points; of one that waits, nobody knows."""
    of = with_report(assignment())
    standings = {
        "s001": Standing(0.0, 0.0, {"report": 4.0}, {}, {}),
        "s002": Standing(0.0, 0.0, {}, {}, {}),
        "s003": Standing(0.0, 0.0, {}, {"report": 5.0}, {}),
    }
    path = tmp_path / "class.html"
    results = [graded(student, of) for student in standings]
    write_class_page(results, of, COURSE, path, {}, standings=standings)
    *_, row = re.finditer(r"The report.*?mean share.>([\d.]+)<", path.read_text(), re.S)
    assert row[1] == "0.4"


def test_students_lead_to_their_feedback(tmp_path):
    a1 = assignment()
    links = {"s001": "../feedback/s001/a 1/a?1.html", "s002": "javascript:alert(1)"}
    results = [graded(student, a1) for student in ("s001", "s002", "s003")]

    page = Page(html_of(tmp_path, results, a1, links))

    hrefs = [dict(attrs)["href"] for tag, attrs in page.tags if tag == "a"]
    assert [unquote(href) for href in hrefs] == ["index.html", *links.values()]
    assert not any(re.match(r"[a-z]+:", href) or "?" in href for href in hrefs)
    assert "s003" in page.text


def test_what_counts_for_nobody_or_above_the_total_says_so(tmp_path):
    a1 = assignment(first=1.0, second=1.0)
    first, second = a1.items
    dropped = first.model_copy(update={"dropped": "read in two ways", "points": 0.0})
    extra = second.model_copy(update={"extra": True})
    a1 = a1.model_copy(update={"items": (dropped, extra)})
    text = Page(html_of(tmp_path, [graded("s", a1)], a1)).text
    assert "First counts for nobody: read in two ways 0 ✓ 1 0 – Second" in text  # noqa: RUF001
    assert "Second adds above the total 1 ✓ 1 0 1" in text


def test_no_text_of_a_result_can_become_markup(tmp_path):
    def page(text):
        a1 = assignment(first=3.0)
        (item,) = graded("s", a1, [Verdict.INTERNAL]).items
        hostile = item.model_copy(update={"title": text, "message": text})
        mistake = NAMED.model_copy(update={"what": (text, text)})
        place = Place(cell=text, line=1, source=text)
        line = mistake.model_copy(update={"kind": "line", "place": place, "costs": {"": 9.0}})
        results = [
            graded(text, a1, items=(hostile,), score=None),
            graded(f"{text} too", a1, items=(hostile,), score=0.0, mistakes=(mistake, line)),
        ]
        a1 = a1.model_copy(update={"title": text})
        people = {name: Who(name, text, text, text) for name in (text, f"{text} too", "absent")}
        links = {text: f"x/{text}.html"}
        standings = {text: Standing(1.0, 60.0, {}, {text: 1.0}, {})}
        path = tmp_path / "page.html"
        write_class_page(results, a1, text, path, links, standings, people, {"absent"})
        return Page((tmp_path / "page.html").read_text())

    hostile = page(HOSTILE)

    assert hostile.structure == page("harmless").structure
    assert HOSTILE in "".join(hostile.texts)


def test_a_page_needs_nothing_but_itself(tmp_path):
    a1 = assignment()
    html = html_of(tmp_path, a_class(24, a1), a1)
    tags = [tag for tag, _ in Page(html).tags]
    assert tags.count("script") == 1
    assert "<script>" in html  # from nowhere else
    assert set(tags).isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    assert not re.search(r"://|url\(|@import|@font-face", html)


def test_the_legend_explains_every_verdict_in_words_and_symbols(tmp_path):
    a1 = assignment()
    text = Page(html_of(tmp_path, a_class(1, a1), a1)).text
    for verdict, look in LOOKS.items():
        assert f"{look.symbol} {verdict} {look.meaning}" in text


def test_the_same_results_give_the_same_bytes(tmp_path):
    a1 = assignment()
    results = a_class(24, a1)
    first = html_of(tmp_path, results, a1)
    assert html_of(tmp_path, results[::-1], a1) == first
