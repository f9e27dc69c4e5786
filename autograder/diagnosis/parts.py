"""What is wrong in an answer, part by part: what two mistakes that show in it leave each other."""

import contextlib
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.comparing import (
    FACTOR,
    alike_in_kind,
    allowed,
    is_rows,
    parts_apart,
    row_distance,
    rows_of,
)
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.seen import seen
from autograder.sandbox.session import Answer


class WrongParts:
    """What is wrong in an answer: rows of numbers, or what is one: found once, for many others.

    Two mistakes that show in one answer leave each other some of it: a gradient, a row.
    loosely: to the digits of float32 (see `same`).
    """

    def __init__(self, answer: Answer, case: Case, loosely: bool = False) -> None:
        self._case = case
        self._loosely = loosely
        self._rows: dict[str, tuple[Tensor, Tensor, Tensor, Tensor]] = {}
        self._others: dict[str, Any] = {}
        with contextlib.suppress(RuntimeError):  # a tensor of an odd kind, or several in a list
            ours, right = (seen(each, case, loosely) for each in (answer, case.right))
            for name, value in ours.items():
                self._note(name, value, right.get(name))

    def _note(self, name: str, value: Any, right: Any) -> None:
        if not is_rows(value):
            if parts_apart(value, right, self._case, self._loosely) >= FACTOR:
                self._others[name] = value
            return
        rows = rows_of(value)
        wrong, off = torch.ones(len(rows), dtype=torch.bool), torch.zeros(len(rows))
        if alike_in_kind(value, right):
            off = row_distance(rows, rows_of(right))
            wrong = off >= FACTOR * self._most(value)
        if wrong.any():
            self._rows[name] = value, wrong, rows[wrong], off[wrong]

    def __len__(self) -> int:
        """How many they are."""
        return sum(len(rows) for _, _, rows, _ in self._rows.values()) + len(self._others)

    def shared(self, other: Answer, nearly: float) -> tuple[int, int]:
        """How many of them another answer has, and has but for `nearly` of the way from right."""
        found = [(0, 0)]
        with contextlib.suppress(RuntimeError):  # torch cannot compare them
            theirs = seen(other, self._case, self._loosely)
            found += [self._shared(name, value, nearly) for name, value in theirs.items()]
        return sum(own for own, _ in found), sum(near for _, near in found)

    def _shared(self, name: str, other: Any, nearly: float) -> tuple[int, int]:
        if name in self._others:
            one = int(parts_apart(self._others[name], other, self._case, self._loosely) <= 1)
            return one, one
        if name not in self._rows or not alike_in_kind(self._rows[name][0], other):
            return 0, 0
        value, wrong, rows, off = self._rows[name]
        most = self._most(value)
        away = row_distance(rows, rows_of(other)[wrong])
        return int((away <= most).sum()), int((away <= (nearly * off).clamp(min=most)).sum())

    def _most(self, value: Tensor) -> float:
        return allowed(value, self._case, self._loosely)
