"""`autograder similar`: the page of a class, of hostile names and of what cannot be read."""

import json
import random
import shutil
from html.parser import HTMLParser

import nbformat
import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import source_path
from autograder.notebooks import read_source

NAME = "squares"
HOSTILE = "</pre></mark><script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }}"
STUDENTS = 16
PAIR = ("t03&amp;", "t04")


def similar(*args, status=0):
    done = CliRunner().invoke(app, ["similar", NAME, *args])
    assert done.exit_code == status, (done.output, done.exception)
    return done.output


def program(seed):
    """Code that nobody else writes, and still an answer."""
    draw = random.Random(seed)
    lines = [
        f"    v{draw.randrange(99)} = f(x, {draw.randrange(999)}) {draw.choice('+-*/%@')} {each}"
        for each in range(40)
    ]
    return "\n".join(["def distances(x, y):", *lines])


def hand_in(folder, student, like, text):
    notebook = nbformat.read(like, 4)
    cell = next(each for each in notebook.cells if "solution" in each.id)
    cell.source = text
    path = folder / student / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


@pytest.fixture
def class_(here):
    like = here / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
    like = shutil.copy(like, here / "like.ipynb")
    shutil.rmtree(here / "submitted")
    for number in range(STUDENTS):
        hand_in(here / "submitted", f"s{number:02}", like, program(number))
    text = f"{program('shared')}\n    # {HOSTILE}\n"
    for student in (*PAIR, "t<b>"):  # a folder of the last name is refused
        own = f"    own = '<script>{student}</script>'  # of nobody else"
        hand_in(here / "submitted", student, like, f"{text}{own}\n")
    hand_in(here / "last_year", "old", like, text)
    for student, data in (("binary", bytes(range(256))), ("huge", b" " * (9 << 20))):
        path = here / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    (here / "submitted" / "empty" / NAME).mkdir(parents=True)
    (here / "nobody").mkdir()
    (here / "roster.csv").write_text("id,first_name,last_name\nt04,Theo,Four\n")
    return here


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


def test_the_pair_is_side_by_side_and_nothing_of_it_is_markup(class_):
    said = similar()
    assert f"{STUDENTS + 2} compared, 4 skipped, 1 pair" in said.replace("\n", " ")
    path = class_ / "results" / f"{NAME}.similar.html"
    before = path.read_bytes()
    page = Tags(path.read_text())
    assert not page.tags & {"script", "img"}
    assert "mark" in page.tags
    assert "Nobody is accused here." in page.text
    assert HOSTILE in page.text
    assert "<script>t04</script>" in page.text
    assert "t03&amp; and Theo Four (t04)" in page.text
    skipped = page.text.partition("Not compared")[2]
    for name in ("binary: ", "huge: ", "empty: ", "t_b_~"):
        assert name in skipped
    similar()
    assert path.read_bytes() == before


def test_an_earlier_class_is_compared_too(class_):
    said = similar("--also", "last_year", "--output", "there/page.html", "--top", "2")
    assert "page: there/page.html" in said
    text = Tags((class_ / "there" / "page.html").read_text()).text
    assert "1 of them of earlier classes" in text
    assert "last_year/old" in text
    assert text.count("Stretches with the same number") == 2


def test_copies_of_the_right_answer_are_no_pair_and_the_page_says_so(here):
    cells = read_source(source_path(here, NAME)).cells
    right = next(each.source for each in cells if "### BEGIN SOLUTION" in each.source)
    right = "".join(line for line in right.splitlines(True) if "###" not in line)
    like = here / "submitted" / "bob" / NAME / f"{NAME}.ipynb"
    for student, text in (("bob", right), ("zoe", right), ("own", program("own"))):
        hand_in(here / "submitted", student, like, text)
    assert "5 compared, 0 skipped, 0 pairs" in similar()
    text = Tags((here / "results" / f"{NAME}.similar.html").read_text()).text
    assert "3 of them have nothing that counts" in text  # with eve's stub
    assert "Of what counts here, no two programs share more" in text


def test_mistakes_that_few_made_count(class_):
    similar()
    page = class_ / "results" / f"{NAME}.similar.html"
    assert "Both: " not in Tags(page.read_text()).text
    whom = [each for student in PAIR for each in ("--student", student)]
    done = CliRunner().invoke(app, ["grade", NAME, "--dry-run", "--jobs", "1", *whom])
    assert done.exit_code == 0, done.output
    for path in (class_ / "results" / NAME).glob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"mistakes": [MISTAKE]}))
    similar()
    assert "Both: It does something odd." in Tags(page.read_text()).text


MISTAKE = {"kind": "named", "what": ["It does something odd."], "items": [], "costs": {}}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--also", "nowhere"], "nowhere is not a folder"),
        (["--also", "nobody"], "nobody handed in squares in nobody/"),
        (["--submitted", "course.yml"], "course.yml is not a folder"),
    ],
)
def test_a_wrong_folder_is_named(class_, args, words):
    assert words in similar(*args, status=2)
    assert not (class_ / "results").exists()
