"""Whether what is handed out is whole: its links lead somewhere, and its pictures are pictures.

Nothing is fetched: of an address elsewhere only the form is looked at.
"""

import base64
import binascii
import io
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import mistune
from PIL import Image

from autograder.course import counted

_HTML = re.compile(r"""<(a|img|source)\b[^>]*?\b(?:href|src|srcset)=["']([^"']*)["']""", re.I)
_ANCHOR = re.compile(r"""\b(?:id|name)=["']([^"']+)["']""", re.I)
_HOST = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.I)
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


@dataclass(frozen=True)
class Link:
    """A link or picture in a text; cell: the notebook's, with what is attached to it."""

    file: str
    target: str
    picture: bool
    cell: Mapping[str, Any] | None = None


def look_at_links(files: Mapping[str, bytes]) -> tuple[str, list[str]]:
    """What there is in these files in words, and each thing that is not whole: a sentence each."""
    found = [link for name, data in files.items() for link in _links(name, data)]
    broken = [f"{link.file}: {said}" for link in found if (said := _broken(link, files))]
    shown = [name for name in files if name.endswith((*_PICTURES, ".svg"))]
    broken += [f"{name} {said}" for name in shown if (said := _no_picture(name, files[name]))]
    away = sum(_is_address(link.target) for link in found)
    figure = f"{counted(len(found), 'link')}, {away} of them away, {counted(len(shown), 'picture')}"
    return figure, broken


def _links(name: str, data: bytes) -> Iterator[Link]:
    if name.endswith(".md"):
        yield from _links_of(name, data.decode(errors="replace"), None)
    elif name.endswith(".ipynb"):
        for cell in json.loads(data)["cells"]:
            if cell["cell_type"] == "markdown":
                yield from _links_of(name, "".join(cell["source"]), cell)


def _links_of(name: str, text: str, cell: Mapping[str, Any] | None) -> Iterator[Link]:
    for node in _nodes(text):
        if node["type"] in ("link", "image"):
            yield Link(name, node["attrs"]["url"], node["type"] == "image", cell)
        elif node["type"] in ("block_html", "inline_html"):
            for tag, target in _HTML.findall(node["raw"]):
                yield Link(name, target, tag.lower() != "a", cell)


def _nodes(text: str) -> Iterator[dict[str, Any]]:
    """Every node of a text in Markdown; formulas are no links, whatever their brackets."""
    waiting: list[Any] = [mistune.create_markdown(renderer=None, plugins=["table", "math"])(text)]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, list):
            waiting[:0] = node
        elif isinstance(node, dict):
            yield node
            waiting[:0] = node.get("children") or []


def _is_address(target: str) -> bool:
    try:
        return bool(urlsplit(target).scheme)
    except ValueError:
        return False


def _broken(link: Link, files: Mapping[str, bytes]) -> str | None:
    """What is wrong with a link, if anything."""
    what, target = ("the picture" if link.picture else "the link"), link.target
    try:
        parts = urlsplit(target)
    except ValueError as error:
        return f"{what} {target} is no address: {error}"
    if parts.scheme == "attachment":
        kept = (link.cell or {}).get("attachments", {}).get(unquote(parts.path), {})
        if not kept:
            return f"{what} {target} is not attached to its cell"
        return next((f"{what} {target} {x}" for x in map(_not_packed, kept.items()) if x), None)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        return _odd_address(what, target)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(link.file), unquote(parts.path)))
    if not parts.path:
        path = link.file
    if path.startswith("..") or not (path in files or any(x.startswith(f"{path}/") for x in files)):
        return f"{what} {target} leads to nothing that is handed out"
    if parts.fragment and path.endswith((".md", ".ipynb")):
        anchors = _anchors(path, files[path])
        if unquote(parts.fragment).lower() not in anchors:
            return f"{what} {target} leads to no heading of {path}"
    return None


def _odd_address(what: str, target: str) -> str | None:
    parts = urlsplit(target)
    if parts.scheme == "mailto":
        return None if "@" in parts.path else f"{what} {target} is no address of mail"
    if parts.scheme not in ("http", "https"):
        return f"{what} {target} begins with {parts.scheme}:, which a browser may not follow"
    if not _HOST.fullmatch(parts.hostname or ""):
        return f"{what} {target} names no host"
    if re.search(r"[\s<>{}|\\^`]|https?:", target[len(parts.scheme) + 1 :]):
        return f"{what} {target} has a sign that no address may have"
    return None


def _anchors(name: str, data: bytes) -> set[str]:
    """What may stand behind # of a file: its headings as JupyterLab and GitHub name them."""
    if name.endswith(".ipynb"):
        cells = json.loads(data)["cells"]
        texts = ["".join(each["source"]) for each in cells if each["cell_type"] == "markdown"]
    else:
        texts = [data.decode(errors="replace")]
    found = set[str]()
    for text in texts:
        found |= {each.lower() for each in _ANCHOR.findall(text)}
        for node in _nodes(text):
            if node["type"] == "heading":
                said = "".join(each.get("raw", "") for each in _under(node)).strip()
                found.add(said.replace(" ", "-").lower())
                found.add(re.sub(r"[^\w -]", "", said).replace(" ", "-").lower())
    return found


def _under(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in node.get("children") or ():
        yield each
        yield from _under(each)


def _not_packed(kept: tuple[str, Any]) -> str | None:
    kind, data = kept
    try:
        raw = base64.b64decode("".join(data), validate=False)
    except (binascii.Error, ValueError):
        return "is no base64"
    return _no_picture(f".{kind.partition('/')[2].partition('+')[0]}", raw)


def _no_picture(name: str, data: bytes) -> str | None:
    """What keeps a file from being the picture that its name says."""
    try:
        if name.endswith(".svg"):
            root = ElementTree.fromstring(data.decode("utf-8"))
            return None if root.tag.endswith("svg") else f"is no SVG, but <{root.tag}>"
        if name.endswith(_PICTURES):
            with Image.open(io.BytesIO(data)) as picture:
                picture.load()
                said = picture.format or ""
            if said.lower() != name.rpartition(".")[2].lower().replace("jpg", "jpeg"):
                return f"is a picture of another kind: {said}"
    except (OSError, ValueError, SyntaxError, ElementTree.ParseError) as error:
        return f"cannot be read as a picture: {error}"
    return None
