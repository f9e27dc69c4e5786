"""A student's Markdown on the pages of whoever grades: it is shown, and nothing of it runs."""

from html.parser import HTMLParser

import pytest

from autograder.nbgrader import markdown_without_html


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def tags(source, **cell):
    return Tags(markdown_without_html({"cell": cell}, source)).found


@pytest.mark.parametrize(
    "source",
    [
        *("<script>alert(1)</script>", "a <b onclick='x()'>b</b>", "<javascript:alert(1)>"),
        *("[x](javascript:alert(1))", "[x](JaVa&#115;cript:alert(1))", "[x](<java\tscript:a()>)"),
        *(
            "[x]: vbscript:x()\n\n[x]",
            "[x](data:text/html,hi)",
            "![x](data:image/svg+xml;base64,AA)",
        ),
        *("```mermaid\n</pre><script>alert(1)</script>\n```", "```<script>\n</code><script>\n```"),
        *('![x](x "a\' onerror=1 \\" b")', "![x](attachment:none)", "[x](file:///etc/passwd)"),
        *(
            "$\\href{javascript:alert(1)}{x}$",
            "a \\href{javascript:alert(1)}{x}",
            "$$\\style{a}{b}$$",
        ),
        *('\\begin{a" onclick=x}\\end{a" onclick=x}', "# <img src=x onerror=y>", "$</p><script>$"),
    ],
)
def test_nothing_runs(source):
    shown = markdown_without_html({}, source)
    assert "\\href" not in shown
    assert "\\style" not in shown
    for tag, attributes in tags(source):
        assert tag not in ("script", "iframe", "style", "object", "svg")
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "src"):
            assert ":" not in (attributes.get(name) or "")


def test_what_is_meant_well_is_kept():
    shown = tags("[a](https://x.org/?a=1&b=2) <me@x.org> https://y.org [b](#there) ![c](plot.png)")
    assert [each.get("href", each.get("src")) for _, each in shown[1:]] == [
        *("https://x.org/?a=1&b=2", "mailto:me@x.org", "https://y.org", "#there", "plot.png")
    ]
    ((_, _), (_, picture)) = tags(
        "![x](attachment:a.png)", attachments={"a.png": {"image/png": "AA"}}
    )
    assert picture["src"] == "data:image/png;base64,AA"
    assert tags("```mermaid\ngraph TD\n```")[0][0] == "pre"


RUBRIC = {"of": "report", "most": 3.0, "lines": [{"said": '</script><b>"', "points": 1.0}]}


def test_a_rubric_is_buttons_in_the_formgrader_and_text_elsewhere():
    cell = {"metadata": {"autograder": {"rubric": RUBRIC}}}
    shown = markdown_without_html({"cell": cell, "resources": {"submission_id": "1"}}, "Rubric")
    assert [tag for tag, _ in Tags(shown).found] == ["div", "button", "script"]
    assert "&lt;/script&gt;&lt;b&gt;&#34;</button>" in shown
    elsewhere = markdown_without_html({"cell": cell, "resources": {}}, "Rubric")
    assert [tag for tag, _ in Tags(elsewhere).found] == ["p"]


def test_what_is_folded_stays_folded_and_nothing_else_of_it_is_html():
    hint = "<details><summary>Hint 1: <b></summary>\n\nWhich *axis*?\n\n</details>"
    assert [tag for tag, _ in tags(hint.replace("<b>", "axes"))] == [
        "details",
        "summary",
        "p",
        "em",
    ]
    assert "details" not in [tag for tag, _ in tags(hint)]  # there is more in it than a text
    for other in ("<details open onclick=x><summary>a</summary>", "<details><script></summary>"):
        assert [tag for tag, _ in tags(other)] in ([], ["p"])
