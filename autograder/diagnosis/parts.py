"""What is wrong in an answer, part by part: what two mistakes that show in it leave each other."""

import contextlib
from functools import cached_property
from typing import Any

import numpy as np
import torch

from autograder.diagnosis.comparing import FACTOR, alike_in_kind, allowed, is_rows, parts_apart
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.seen import KIND, seen
from autograder.sandbox.session import Answer

_FAR = 1e30  # what is no number is as far from every number


class Parts:
    """What is seen of an answer, all its rows of numbers in one line: compared with many others.

    loosely: to the digits of float32 (see `same`).
    """

    def __init__(self, answer: Answer, case: Case, loosely: bool = False) -> None:
        self.seen: dict[str, Any] = {}
        with contextlib.suppress(RuntimeError):  # a tensor of an odd kind, or several in a list
            self.seen = seen(answer, case, loosely)
        self.rows = {name: value for name, value in self.seen.items() if is_rows(value)}
        self.kinds = [(x, tuple(getattr(each, y) for y in KIND)) for x, each in self.rows.items()]

    @property
    def shapes(self) -> set[tuple[str, tuple[int, ...]]]:
        """Those of its rows of numbers, by their names."""
        return {(name, tuple(each.shape)) for name, each in self.rows.items()}

    @cached_property
    def numbers(self) -> np.ndarray:
        """Those of all rows, one after the other."""
        if not self.rows:
            return np.zeros(0)
        line = torch.cat([value.detach().double().reshape(-1) for value in self.rows.values()])
        return line.nan_to_num_(_FAR, 2 * _FAR, -2 * _FAR).numpy()

    @cached_property
    def starts(self) -> dict[str, int]:
        """Where the numbers of a part begin."""
        sizes = [value.numel() for value in self.rows.values()]
        return dict(zip(self.rows, np.cumsum([0, *sizes]).tolist(), strict=False))

    def numbers_as_in(self, other: "Parts") -> np.ndarray:
        """Its numbers where the other has its own; NaN for a part that it has not, in that kind."""
        if self.kinds == other.kinds:
            return self.numbers
        found, ours = np.full(len(other.numbers), np.nan), dict(self.kinds)
        for name, kind in other.kinds:
            if ours.get(name) == kind:
                start, size = self.starts[name], self.rows[name].numel()
                found[other.starts[name] :][:size] = self.numbers[start:][:size]
        return found


class WrongParts:
    """What is wrong in an answer: rows of numbers, or what is one: found once, for many others.

    Two mistakes that show in one answer leave each other some of it: a gradient, a row, or of which
    kind it is, where that is wrong, too.
    """

    def __init__(self, answer: Answer, case: Case, loosely: bool = False) -> None:
        self._case = case
        self._loosely = loosely
        self._ours, right = (Parts(each, case, loosely) for each in (answer, case.right))
        self._others: dict[str, Any] = {}
        self._kinds: list[tuple[str, tuple[Any, ...]]] = []  # that are wrong
        for name, value in self._ours.seen.items():
            if name not in self._ours.rows and self._away(value, right.seen.get(name)) >= FACTOR:
                self._others[name] = value
        rights = right.numbers_as_in(self._ours)
        where, off, most = [], [], []
        for name, value in self._ours.rows.items():
            start, width = self._ours.starts[name], value.shape[-1]
            rows = start + np.arange(value.numel()).reshape(-1, width)
            allows = allowed(value, case, loosely)
            if alike_in_kind(value, right.seen.get(name)):
                away = _apart(self._ours.numbers[rows], rights[rows]).max(-1)
                wrong = away >= FACTOR * allows
                rows, away = rows[wrong], away[wrong]
            else:
                away = np.zeros(len(rows))
                self._kinds += [each for each in self._ours.kinds if each[0] == name]
            where += list(rows)
            off.append(away)
            most.append(np.full(len(rows), allows))
        self._where = np.concatenate(where) if where else np.zeros(0, dtype=int)
        self._first = np.cumsum([0, *map(len, where)])[:-1]  # of each row
        self._off = np.concatenate([np.zeros(0), *off])
        self._most = np.concatenate([np.zeros(0), *most])
        self._numbers = self._ours.numbers[self._where]

    def __len__(self) -> int:
        """How many they are."""
        return len(self._first) + len(self._others) + len(self._kinds)

    def shared(self, other: Parts, nearly: float) -> tuple[int, int]:
        """How many of them another answer has, and has but for `nearly` of the way from right."""
        away = [
            self._away(each, other.seen[x]) for x, each in self._others.items() if x in other.seen
        ]
        own = near = sum(each <= 1 for each in away) + sum(x in other.kinds for x in self._kinds)
        if len(self._first):
            theirs = other.numbers_as_in(self._ours)[self._where]
            rows = np.maximum.reduceat(_apart(self._numbers, theirs), self._first)
            own += int((rows <= self._most).sum())
            near += int((rows <= np.maximum(nearly * self._off, self._most)).sum())
        return own, near

    def _away(self, value: Any, other: Any) -> float:
        with contextlib.suppress(RuntimeError):  # torch cannot compare them
            return parts_apart(value, other, self._case, self._loosely)
        return torch.inf


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The differences, relative to values above 1."""
    size = np.maximum(np.maximum(np.abs(one), np.abs(other)), 1)
    with np.errstate(over="ignore"):  # then they are as far apart as can be
        away: np.ndarray = np.abs(one - other) / size
    return away
