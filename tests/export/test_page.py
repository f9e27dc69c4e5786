import re

import pytest

from autograder.course.result import Verdict
from autograder.export.page import LOOKS, legible, number, with_code, with_marks, write_page


def test_every_verdict_has_a_look_of_its_own():
    assert set(LOOKS) == set(Verdict)
    for field in ("symbol", "meaning", "light", "dark"):
        assert len({getattr(look, field) for look in LOOKS.values()}) == len(Verdict)


@pytest.mark.parametrize(
    ("score", "text"),
    [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.33"), (0.0, "0"), (100.0, "100"), (12345.0, "12345")],
)
def test_numbers_are_as_people_write_them(score, text):
    assert number(score) == text


def test_no_score_is_a_dash_and_never_a_zero():
    assert number(None) not in ("", "0", "None")


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\r", "\x9b", "\u202e", "\u2067", "\ud800"])
def test_what_nobody_can_read_is_marked(character):
    assert legible(f"a{character}b") == "a\ufffdb"


def test_what_can_be_read_is_left_alone():
    text = "tab\tline\nnaïve ≤ 1e-12 مرحبا 你好 🙂"
    assert legible(text) is text or legible(text) == text


def test_code_between_backticks_is_shown_as_code_and_markup_as_text():
    text = "In `a < b` and `c`, <b>not</b> \x1b in ` alone"
    shown = "In <code>a &lt; b</code> and <code>c</code>, &lt;b&gt;not&lt;/b&gt; \ufffd in ` alone"
    assert with_code(text) == shown


def test_what_the_course_says_may_stress_a_word():
    text = "At the *start*: `a * b * c`, 2 * 3 * 4, x*y*z, <b> and *two words*."
    assert with_marks(text) == (
        "At the <em>start</em>: <code>a * b * c</code>, 2 * 3 * 4, x*y*z, &lt;b&gt; and "
        "<em>two words</em>."
    )


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """The ratio of WCAG 2.2, from 1 (none) to 21 (black on white)."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def tinted(ink, paper, alpha):
    pairs = ((int(ink[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(alpha * a + (1 - alpha) * b):02x}" for a, b in pairs)


@pytest.mark.parametrize(("scheme", "field"), [(0, "light"), (1, "dark")])
def test_every_text_stands_out_from_what_is_behind_it(tmp_path, scheme, field):
    write_page(tmp_path / "page.html", "export/page.html.jinja")
    css = (tmp_path / "page.html").read_text()

    def colours(name):
        return re.findall(rf"--{name}: (#[0-9a-f]{{6}})", css)[scheme]

    for verdict, look in LOOKS.items():
        ink = getattr(look, field)
        assert colours(verdict) == ink
        tint, fill = (
            int(re.findall(rf"--{verdict}-{kind}: {ink}(..)", css)[0], 16) / 255
            for kind in ("tint", "fill")
        )
        for paper in (colours("paper"), colours("sunk")):
            assert contrast(ink, paper) >= 4.5, f"{verdict} on the page"
            assert contrast(colours("quiet"), paper) >= 4.5
        assert contrast(ink, tinted(ink, colours("paper"), tint)) >= 4.5, f"{verdict} on its tint"
        behind = tinted(ink, colours("paper"), fill)
        assert contrast(colours("text"), behind) >= 4.5, f"text on {verdict}"
