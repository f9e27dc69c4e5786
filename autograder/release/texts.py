"""Every text that a file holds, wherever in it: so that the scan for leaks sees what a reader can.

A notebook's sources, outputs, metadata and attachments are strings of its JSON; a picture has
words beside its points; base64, zip and gzip are unpacked. What is drawn in points is not read.
"""

import base64
import binascii
import contextlib
import gzip
import html
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from PIL import Image

_DEEP = 3  # as in: an attachment, which is a zip, in which there is a picture
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{30,}\s*)+={0,2}")
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
_MARKED_UP = (".svg", ".html", ".xml", ".md", ".ipynb")


def texts(name: str, data: bytes, deep: int = _DEEP) -> Iterator[tuple[str, str]]:
    """Each text in a file, and the place in it in words: empty for the whole."""
    text = data.decode(errors="replace")
    yield "", text
    told = [("", text)]
    if name.endswith((".ipynb", ".json")):  # as meant, not as written
        with contextlib.suppress(ValueError):
            told = list(_strings(json.loads(text)))
            yield from told
    for place, each in told:
        if name.endswith(_MARKED_UP) and ("<" in each or "&" in each):
            yield place, html.unescape(_TAG.sub("", each))
        for packed in _BASE64.findall(each) if deep else ():
            with contextlib.suppress(binascii.Error, ValueError):
                yield from _under(place, "base64", base64.b64decode(packed), deep)
    if deep:
        yield from _unpacked(data, deep)


def _unpacked(data: bytes, deep: int) -> Iterator[tuple[str, str]]:
    if data.startswith(b"\x1f\x8b"):
        with contextlib.suppress(OSError, EOFError, zlib.error):
            yield from _under("", "gzip", gzip.decompress(data), deep)
    elif data.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from _under("", name, archive.read(name), deep)
    elif data[:1] in (b"\x89", b"\xff", b"G", b"R"):  # PNG, JPEG, GIF, WebP
        with (
            contextlib.suppress(OSError, ValueError, SyntaxError),
            Image.open(io.BytesIO(data)) as picture,
        ):
            for key, value in [*picture.info.items(), *picture.getexif().items()]:
                if isinstance(value, (str, bytes)):
                    said = value if isinstance(value, str) else value.decode(errors="replace")
                    yield f"the picture's {key}", said


def _under(place: str, name: str, data: bytes, deep: int) -> Iterator[tuple[str, str]]:
    for within, text in texts(name, data, deep - 1):
        yield ", ".join(filter(None, (place, name, within))), text


def _strings(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a JSON value; lines that stand in a list are one, as notebooks have them."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        if value and all(isinstance(each, str) for each in value):
            yield place, "".join(value)
        else:
            for number, each in enumerate(value):
                yield from _strings(each, f"{place}[{number}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield f"{place}.{key}", key
            yield from _strings(each, f"{place}.{key}".lstrip("."))
