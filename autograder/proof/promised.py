"""What the notebook promises of each item, beside what its checks ask.

Whether the words mean the same, people see, who have them side by side (`autograder verify
--promises`). What a machine can see is that neither side is empty, and that no word names what is
not there.
"""

import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from autograder.checking import CHECKS, Check, CheckOutcome
from autograder.course import Assignment, ByHand
from autograder.notebooks import Source

_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
_QUOTED = re.compile(r"`([^`\n]+)`")
_IDENTIFIER = re.compile(r"[A-Za-z]\w*_\w+")  # others may be words of any language
_FEW = 3  # words that are no sentence yet


@dataclass(frozen=True)
class Promised:
    """An item: what the notebook says of it, and what its checks, or its rubric, say."""

    item: str
    title: str
    points: float
    told: str  # its text, without headings and hints; empty where there is none
    public: tuple[str, ...]  # sentences of the checks that students have
    hidden: tuple[str, ...]  # and of those that they do not; of a rubric, all


def side_by_side(
    assignment: Assignment, source: Source, checks: Iterable[Check | CheckOutcome]
) -> list[Promised]:
    """Each item of an assignment, those that people grade behind the others."""
    texts = dict(_texts(source))
    asked: dict[str, dict[str, bool]] = {}
    for check in checks:
        sentences = asked.setdefault(check.item, {})
        said = " ".join(check.sentence.split())
        sentences[said] = sentences.get(said, False) or check.public
    rows = []
    for part in (*assignment.items, *assignment.manual):
        sentences = asked.get(part.id, {})
        public = tuple(each for each, is_public in sentences.items() if is_public)
        hidden = tuple(each for each in sentences if each not in public)
        if isinstance(part, ByHand):
            hidden = tuple(f"{each.points:g}: {each.text}" for each in part.rubric)
        told = _told(texts.get(part.id, ""), part.title)
        rows.append(Promised(part.id, part.title, part.points, told, public, hidden))
    return rows


def unkept(rows: Sequence[Promised], source: Source) -> list[str]:
    """What a machine can see: a sentence for each side that is empty, and each name of nothing."""
    known = _names(source)
    return [f"{row.item} {said}" for row in rows for said in _unkept(row, known)]


def _unkept(row: Promised, known: frozenset[str]) -> Iterator[str]:
    if len(row.told.split()) <= _FEW:
        yield "has no words in the notebook: say above its check what is asked"
    if "" in (*row.public, *row.hidden):
        yield "has a check without a sentence: give the function a docstring"
    for quoted in _QUOTED.findall(row.told):
        for name in _IDENTIFIER.findall(quoted):
            if name not in known:
                yield f"promises something of `{name}`, which is no name of the notebook's"


def _texts(source: Source) -> Iterator[tuple[str, str]]:
    """What a student reads for each item: the texts behind the last item's check, up to its own."""
    behind: list[str] = []
    for cell in source.cells:
        if cell.kind == "markdown":
            behind.append(cell.source)
        if cell.role in ("check", "manual"):
            yield str(cell.name), "\n\n".join(behind)
            behind = []


def _told(text: str, title: str) -> str:
    """Of a text what stands under the title, or all of it; without headings and hints."""
    *_, under = re.split(rf"^#+ +{re.escape(title)} *$", text, flags=re.MULTILINE)
    return _HEADING.sub("", _FOLDED.sub("", under)).strip()


def _names(source: Source) -> frozenset[str]:
    """Every name of the notebook's code, of what it is given, of Python's and of torch's."""
    code = "\n".join(each.source for each in source.cells if each.kind == "code")
    private = source.path.name, CHECKS
    beside = [each for each in source.path.parent.glob("*.py") if each.name not in private]
    texts = [code, source.given, *(each.read_text(encoding="utf-8") for each in beside)]
    modules = (torch, torch.nn, torch.nn.functional, torch.Tensor, torch.nn.Module, builtins)
    words = {name for text in texts for name in re.findall(r"\w+", text)}
    return frozenset(words.union(*map(dir, modules)))
