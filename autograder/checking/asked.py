"""What a check asked, and what of the answer it looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autograder.asking import Question
from autograder.handout.checks.problem import Problem
from autograder.sandbox.session import Answer

_FEWEST = 5  # times less than it may take: the products of a model's own layers take more


@dataclass(frozen=True)
class Asked:
    """One question put to both, with the reference's answer: a public case is made of it."""

    kind: Literal["value", "call", "parameters", "raises"]
    question: Question
    answer: Answer
    outputs: Sequence[str] = ()
    look_at: Sequence[str] = ()
    exact_zeros: bool = False
    error: str = ""  # what is to be raised
    naming: tuple[Any, ...] = ()
    same_mode: bool = True  # whether the modules' mode is looked at
    most_work: int | None = None  # multiplications that it may take, where that is looked at
    unchanged: bool = False  # whether it is looked at what was written to


def too_much(asked: Asked, answer: Answer) -> bool:
    """Whether an answer took more multiplications than it may."""
    return asked.most_work is not None and answer.multiplications > asked.most_work


def too_little(asked: Asked, answer: Answer) -> bool:
    """Whether an answer took so few multiplications that they cannot all have been counted."""
    return asked.most_work is not None and answer.multiplications < asked.most_work / _FEWEST


def misplaced(name: str, moved: bool) -> Problem:
    """Of an output that is not where it should be: it was moved to another device, or made here."""
    here = "is not on torch's default device, on which it should be"
    there = "is on torch's default device, which is not the one that it should be on"
    return Problem(f"{name} {here if moved else there}", "device")
