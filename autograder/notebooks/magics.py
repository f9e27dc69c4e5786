"""What a notebook's cell has beyond Python: magics, shell lines, help. Made harmless, and told."""

import ast
import re

from IPython.core.inputtransformer2 import TransformerManager

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what ast.parse may raise
# Cell magics whose body is ordinary Python; the body of any other is not ours to run.
_PYTHON_MAGICS = ("time", "timeit", "capture", "prun")
_MAGIC = re.compile(r"^[ \t\f]*[%!?,;/]|=(?:[ \t\f]|\\\r?\n)*[%!]|\?[ \t\f]*$", re.MULTILINE)
# The characters of a cell, once for each of its magics, for IPython begins anew at each; over a
# whole notebook this comes to about a second.
_MAX_WORK = 300_000


class Magics:
    """Sets the magics of one notebook aside; the work that this may take is bounded."""

    def __init__(self) -> None:
        self._work_left = _MAX_WORK

    def set_aside(self, source: str) -> tuple[str, list[str]]:
        """A cell's source as plain Python, and the lines that have no effect in it.

        What cannot be made Python comes back as it was: its error is told when the cell is run.
        """
        first, _, body = source.lstrip().partition("\n")
        if not first.startswith("%%"):
            return self._lines(source)
        if first[2:].partition(" ")[0].strip() not in _PYTHON_MAGICS:
            return "", [first]
        python, lines = self._lines(body)
        return f"\n{python}", [first, *lines]

    def _lines(self, source: str) -> tuple[str, list[str]]:
        work = (len(_MAGIC.findall(source)) + 1) * len(source)
        if _parses(source) or work > self._work_left:
            return source, []
        self._work_left -= work
        try:
            python = str(TransformerManager().transform_cell(source))
        except Exception:  # IPython's, on a text that may be anything
            return source, []
        if not _parses(python):
            return source, []
        kept = {line.strip() for line in python.splitlines()}
        lines = map(str.strip, source.splitlines())
        return python, [line for line in lines if _MAGIC.search(line) and line not in kept]


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except UNREADABLE:
        return False
    return True
