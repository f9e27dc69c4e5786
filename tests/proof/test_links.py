"""What is handed out is whole: broken links and pictures are named, and right ones are not."""

import base64
import io
import json

import pytest
from PIL import Image

from autograder.proof.links import look_at_links


def png(kind="PNG"):
    data = io.BytesIO()
    Image.new("RGB", (40, 40), "white").save(data, kind)
    return data.getvalue()


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
FILES = {"README.md": b"# The class\n\n## What to do?\n", "figures/a.svg": SVG, "b.png": png()}


def notebook(text, attachments=None):
    cell = {"cell_type": "markdown", "source": text.splitlines(keepends=True)}
    if attachments:
        cell["attachments"] = attachments
    return {"a.ipynb": json.dumps({"cells": [cell]}).encode()}


def look(text, files=None, attachments=None):
    return look_at_links(FILES | (files or {}) | notebook(text, attachments))


@pytest.mark.parametrize(
    "text",
    [
        "![a](figures/a.svg) ![b](b.png)",
        '<img src="b.png" alt=""> <a href="README.md">x</a>',
        "[x](README.md#What-to-do?) and [y](README.md#what-to-do) and [z](#here)\n\n# Here",
        '[x](#made)\n\n<a id="made"></a>',
        "[x](https://example.org/a_(b)?c=d#e) <https://example.org> [m](mailto:a@example.org)",
        "[a folder](figures)",
        "[x][1]\n\n[1]: README.md",
        "`[x](nowhere.md)`\n\n    [x](nowhere.md)\n\n$[x](y)$ and $$M[i](j)$$",
    ],
)
def test_what_is_whole_is_let_be(text):
    assert look(text)[1] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("![a](figures/b.svg)", "the picture figures/b.svg leads to nothing that is handed out"),
        ("[a](other.md)", "the link other.md leads to nothing that is handed out"),
        ("[a](../solutions/a.py)", "the link ../solutions/a.py leads to nothing"),
        ('<img src="c.png">', "the picture c.png leads to nothing"),
        ("[x][1]\n\n[1]: gone.md", "the link gone.md leads to nothing"),
        ("[a](README.md#what)", "the link README.md#what leads to no heading of README.md"),
        ("[a](#nowhere)", "the link #nowhere leads to no heading of a.ipynb"),
        ("[a](https://)", "the link https:// names no host"),
        ("[a](https://docs/x)", "the link https://docs/x names no host"),
        ("[a](https://https://a.org)", "the link https://https://a.org names no host"),
        ("[a](https://a.org/https://b.org)", "has a sign that no address may have"),
        ("[a](htps://a.org)", "begins with htps:, which a browser may not follow"),
        ("[a](file:///home/x)", "begins with file:, which"),
        ('<a href="https://[a">a</a>', "is no address"),
        ("![a](attachment:a.png)", "the picture attachment:a.png is not attached to its cell"),
    ],
)
def test_what_is_broken_is_named(text, said):
    (problem,) = look(text)[1]
    assert problem.startswith("a.ipynb: ")
    assert said in problem


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("c.png", b"\x89PNG\r\n", "cannot be read as a picture"),
        ("c.png", png()[:-30], "cannot be read as a picture"),
        ("c.png", png("JPEG"), "is a picture of another kind: JPEG"),
        ("c.svg", b"<svg>", "cannot be read as a picture"),
        ("c.svg", b"<html/>", "is no SVG, but <html>"),
        ("c.gif", b"", "cannot be read as a picture"),
    ],
)
def test_a_picture_that_is_none_is_named(name, data, said):
    (problem,) = look("", {name: data})[1]
    assert problem.startswith(f"{name} ")
    assert said in problem


def test_attached_pictures_are_looked_at():
    good = {"a.png": {"image/png": base64.b64encode(png()).decode()}}
    assert look("![a](attachment:a.png)", attachments=good)[1] == []
    cut = {"a.png": {"image/png": base64.b64encode(png()[:50]).decode()}}
    (problem,) = look("![a](attachment:a.png)", attachments=cut)[1]
    assert "attachment:a.png cannot be read as a picture" in problem


def test_links_are_counted():
    assert look("[a](https://a.org) ![b](b.png)")[0] == "2 links, 1 of them away, 2 pictures"
