"""The pages in a real browser: by keyboard, on a phone, in the dark, on paper."""

import shutil
from dataclasses import replace
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from export_samples import COURSE, NAMED, UNKNOWN, assignment, graded, with_mistakes, with_report
from test_feedback import HOSTILE

from autograder.course import Verdict, read_course
from autograder.diagnosis import Fault
from autograder.export import index, read_settings
from autograder.export.dashboard import write_class_page
from autograder.export.feedback import write_feedback
from autograder.export.people import Who
from autograder.export.standing import Standing
from autograder.proof.locating import Pointed, Sought
from autograder.proof.mutants import Mutant, Tried
from autograder.proof.page import write_proof
from autograder.proof.proven import Graded, Proof, Told
from autograder.repair import Located
from autograder.similar import Skipped, Work, compare, write_similar_page
from autograder.similar.works import HandedOut
from autograder.template import plan

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")

PHONE, DESK = 320, 1280  # pixels; the first is what WCAG 2.2 asks of reflow
NAMES = ("Ágnes", "bob", "Chloé", HOSTILE)


def the_class(path, size=40):
    """A class with all there can be on its page; every fourth student's name is hostile."""
    of = with_report(assignment())
    _, example = with_mistakes()
    kinds = [Verdict.PASSED, Verdict.WRONG, Verdict.CARRIED, Verdict.TIMEOUT]
    results, standings, people = [], {}, {}
    for n in range(size):
        student, verdict = f"s{n:03}", kinds[n % 4]
        verdicts = [verdict, Verdict.WRONG if n == 9 else Verdict.PASSED, kinds[n % 3]]
        result = graded(student, of, [Verdict.INTERNAL] * 3 if n == 7 else verdicts, seconds=n / 10)
        made = {1: (NAMED,), 2: (UNKNOWN, *example.mistakes)}.get(n % 8, ())
        results.append(result.model_copy(update={"mistakes": made}))
        waiting = {"report": 5.0} if n % 5 == 0 else {}
        late = 3600.0 * n if n % 10 == 4 else 0.0
        standings[student] = Standing(
            late and 1.0, late, {} if waiting else {"report": 4.0}, waiting, {}
        )
    for n in range(size + 3):
        name = f"{NAMES[n % 4]} {n}"
        people[f"s{n:03}"] = Who(f"s{n:03}", name, "AB"[n % 2], f"{HOSTILE}@example.org", n != 9)
    links = {result.student: f"../feedback/{result.student}/x.html" for result in results}
    ungraded = {f"s{size + 1:03}"}
    write_class_page(results, of, COURSE, path, links, standings, people, ungraded)


def a_student(path):
    of, result = with_mistakes()
    standing = Standing(1.0, 90000.0, {}, {"report": 5.0}, {"report": HOSTILE})
    notes = (HOSTILE, "a_very_long_word_" * 20)
    result = result.model_copy(update={"notes": notes, "student": "a_long_name_" * 9})
    write_feedback(result, with_report(of), COURSE, path, standing)


def the_course(path):
    """Two assignments and a third that nobody has handed in; students in every state."""
    root = path.parent / "course"
    root.mkdir()
    for name in ("squares", "cubes", "roots"):
        plan(root, name).write()
    course = read_course(root)
    for n in range(30):
        name, verdict = ("squares", "cubes")[n % 2], Verdict.INTERNAL if n == 7 else Verdict.PASSED
        result = graded(f"<b>s{n:03}", course.assignment(name), [verdict])
        result.write(path.parent / name / f"{result.student}.json")
    standing = Standing(1.0, 90000.0, {}, {"report": 5.0}, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "standings", lambda name, db_url: {"<b>s004": standing})
        assert index.write_index(course, path.parent, read_settings(root)) == path


def unread(path):
    of = assignment()
    write_feedback(graded("s042", of, [Verdict.UNREADABLE] * 3), with_report(of), COURSE, path)


def the_proof(path):
    """One component with many faults and all that can become of them, and what is wrong told."""
    of = assignment()
    faults = [
        Fault(
            "scaled",
            ("scaled_dot_product",),
            f"Is{'Very' * 9}Wrong{n}",
            of.items[n % 3].id,
            f"The scores are wrong in the way {n}.",
            "?",
            frozenset(),
        )
        for n in range(60)
    ]
    told = [*Told]
    lost = graded("s042", of, [Verdict.WRONG] * 3).items
    singles = [
        Graded(
            (each,),
            lost[n % 3 :],
            told[n] if n < len(told) else Told.NAMED,
            lost[:1],
            0.3,
            n % 7 == 0,
        )
        for n, each in enumerate(faults)
    ]
    pairs = [
        Graded(both, lost[:1], told[n] if n < len(told) else Told.NAMED)
        for n, both in enumerate(combinations(faults, 2))
    ]
    mutant = Mutant("attention", 1, f"line 1: {'a' * 90} -> b", "")
    mutants = Tried(mutant, None, "no input tells"), Tried(mutant, None, None)
    located = Located("attention", 2, "q @ k" * 30, "q @ k", False, ("first",), True)
    sought = [Sought("one" * 40, "mutant", (located,), each) for each in Pointed]
    component = SimpleNamespace(name="scaled", of=("scaled_dot_product",))
    proof = Proof(of, (component,), singles, pairs, {}, {}, mutants, tuple(sought))
    others = [
        replace(
            proof, assignment=of.model_copy(update={"id": f"a{n}"}), singles=singles[:5], pairs=()
        )
        for n in range(2, 7)
    ]
    write_proof([proof, *others], COURSE, path)


def side_by_side(path):
    """A pair that shares long lines and a mistake, its group, and one who could not be compared."""
    of, rare = assignment(), np.arange(20, dtype=np.uint64)
    code = "\n".join(f"def own_{n}(x):\n    return {'x + ' * 40}{n}  # {HOSTILE}" for n in range(9))
    mistakes = {7: "They divide by `d_k`."}
    pair = [Work(f"a_long_name_{n}" * 9, None, (("cell", code),), rare, mistakes) for n in "12"]
    others = [Work(f"s{n}", None, (), np.array([1000 + n], np.uint64), {}) for n in range(12)]
    works, skipped = [*pair, *others], [Skipped("eve", HOSTILE)]
    given = HandedOut(frozenset(), frozenset())
    write_similar_page(compare(works, 5), of, COURSE, given, works, skipped, path)


WRITTEN = {
    "class": the_class,
    "student": a_student,
    "unread": unread,
    "index": the_course,
    "proof": the_proof,
    "similar": side_by_side,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, write in WRITTEN.items():
        write(folder / f"{name}.html")
    return folder


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as drivers:
        browser = drivers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser, folder):
    """Opens a page; whatever it complains of, asks for or pops up fails the test at its end."""
    pages, odd = [], []

    def show(name, width=DESK, fragment="", **settings):
        page = browser.new_page(viewport={"width": width, "height": 800}, **settings)
        page.set_default_timeout(5000)
        pages.append(page)
        page.on("console", lambda message: odd.append(message.text))
        page.on("pageerror", lambda error: odd.append(str(error)))
        page.on("dialog", lambda dialog: odd.append(dialog.message))
        address = (folder / f"{name}.html").as_uri()
        page.on("request", lambda request: request.url.startswith(address) or odd.append(request))
        page.goto(address + fragment)
        return page

    yield show
    for page in pages:
        page.close()
    assert odd == []


def shown(page):
    """The names in the table of everyone, without what is flagged beside them."""
    names = page.locator("#everyone tbody tr:not([hidden]) th")
    return names.evaluate_all("""names => names.map(each => {
        const name = each.cloneNode(true);
        name.querySelectorAll(".flag").forEach(flag => flag.remove());
        return name.textContent.trim();
    })""")


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_axe_finds_nothing_and_nothing_sticks_out(show, name, scheme, width):
    page = show(name, width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_labels_keep_apart_and_headings_low(show, folder):
    of = assignment(first=21.0)
    write_class_page([graded("s", of)], of, COURSE, folder / "narrow.html", {})
    page = show("narrow", PHONE)
    drawn = """labels => labels.filter(each => getComputedStyle(each).visibility === "visible")
        .map(each => {
            const text = document.createRange();
            text.selectNodeContents(each);
            return text.getBoundingClientRect();
        })"""
    boxes = page.locator(".edges span").evaluate_all(drawn)
    assert len(boxes) > 4
    for left, right in pairwise(boxes):
        assert left["right"] + 4 < right["left"]
    title = page.locator("#everyone .item-title div")
    title.evaluate("each => each.textContent = 'A title of many words that goes on and on'")
    assert page.locator("#everyone thead").bounding_box()["height"] < 200


def test_it_is_sorted_by_keyboard_one_way_and_the_other(show):
    page = show("class")
    heading = page.locator("#everyone thead th", has_text="late")
    heading.get_by_role("button").focus()

    def late():
        return page.locator("#everyone tbody tr td[data-v]").all_inner_texts()

    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert [text.split(",")[0] for text in late()] == [
        *("34 hours", "24 hours", "14 hours", "4 hours")
    ]
    # Who has no value stands last, whichever way round.
    first = "#everyone tbody tr:first-child td[data-v]"
    assert page.locator(first).count() == 1
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert late()[0].startswith("4 hours")
    assert page.locator(first).count() == 1


def test_the_course_is_sorted_and_filtered_too(show):
    page = show("index", fragment="#late")
    assert shown(page) == ["<b>s004"]
    page.get_by_role("combobox", name="Show").select_option("")
    page.locator("#everyone thead button", has_text="squares").press("Enter")
    assert len(shown(page)) == 30
    assert shown(page)[14] == "<b>s004"  # a point less than the others, before who has none
    page.get_by_label("Name or id").fill("s004")
    texts = page.locator("#everyone tbody tr:visible").inner_text().split()
    assert " ".join(texts).startswith("<b>s004 – to be read late 1 ")  # noqa: RUF001


def test_names_are_sorted_as_people_do(show):
    page = show("class")
    page.locator("#everyone thead button", has_text="student").click()
    names = list(dict.fromkeys(name.split()[0] for name in shown(page)))
    assert names == [HOSTILE.split()[0], "Ágnes", "bob", "Chloé"]


def test_search_takes_any_part_of_name_and_id_without_accents(show):
    page = show("class")
    search = page.get_by_label("Name or id")
    search.fill("agn s01")
    assert shown(page) == ["Ágnes 12 s012", "Ágnes 16 s016"]
    assert page.locator("#shown").inner_text() == "2 of 40 shown"
    search.fill("<script>")
    assert len(shown(page)) == 10
    search.fill("")
    assert len(shown(page)) == 40


def test_filters_narrow_each_other(show):
    page = show("class")
    page.get_by_role("combobox", name="Show").select_option("waits")
    assert len(shown(page)) == 8
    page.get_by_role("combobox", name="Section").select_option("A")
    assert len(shown(page)) == 4
    page.get_by_role("combobox", name="Item not right").select_option(label="Attention output (19)")
    assert [name.split()[-1] for name in shown(page)] == []
    page.get_by_role("combobox", name="Section").select_option("B")
    assert [name.split()[-1] for name in shown(page)] == ["s005", "s015", "s025", "s035"]


def test_a_count_leads_to_those_who_made_the_mistake_and_back(show):
    page = show("class")
    count = page.get_by_role("button", name="5 of 39").first
    made = page.locator("tr", has=count).locator("details")
    made.locator("summary").focus()
    page.keyboard.press("Enter")
    names = made.locator("a").all_inner_texts()
    assert len(names) == 5

    count.focus()
    page.keyboard.press("Enter")
    assert [name.rpartition(" ")[0] for name in shown(page)] == names
    assert page.evaluate("document.activeElement.id") == "only"
    page.keyboard.press("Enter")
    assert len(shown(page)) == 40
    assert page.evaluate("document.activeElement.id") == "search"


def test_a_count_of_an_item_leads_to_those_who_do_not_have_it(show):
    page = show("class")
    row = page.locator(".by-item tr", has_text="Attention scale")
    assert row.locator("button").inner_text() == "1"
    row.locator("button").press("Enter")
    assert [name.split()[-1] for name in shown(page)] == ["s009"]


def test_the_address_may_ask_for_a_state(show):
    page = show("class", fragment="#late")
    assert [name.split()[-1] for name in shown(page)] == ["s004", "s014", "s024", "s034"]
    page.evaluate("location.hash = '#staff'")
    page.wait_for_function("document.getElementById('shown').textContent === '1 of 40 shown'")


def test_without_a_script_it_is_a_plain_table(show):
    page = show("class", java_script_enabled=False)
    assert page.locator("#everyone tbody tr:visible").count() == 40
    assert page.locator("button:visible, input:visible, select:visible").count() == 0
    page.locator(".mistakes summary").first.click()
    assert page.locator(".mistakes details a:visible").count() > 0


def test_on_paper_there_is_what_was_asked_for_and_no_control(show):
    page = show("class")
    page.emulate_media(media="print")
    cut_off = "each => each.scrollHeight > each.clientHeight + 1"
    assert not page.locator(".scroll").evaluate(cut_off)
    page.emulate_media(media="screen")
    assert page.locator(".scroll").evaluate(cut_off)
    page.get_by_role("combobox", name="Show").select_option("late")
    page.emulate_media(media="print")
    assert page.locator("#tools input:visible, #tools select:visible").count() == 0
    assert page.locator("#everyone tbody tr:visible").count() == 4


def test_markup_that_got_through_would_not_run(browser, folder):
    hostile = (
        "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"
    )
    path = folder / "hostile.html"
    path.write_text((folder / "class.html").read_text().replace("<main>", f"<main>{hostile}"))
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator("#tools").is_visible()  # ours does
    assert page.title() == "Scaled dot-product attention, the class"
    page.close()
