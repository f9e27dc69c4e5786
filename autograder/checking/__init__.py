"""Checks: what they are written with, and what runs them against one submission."""

from autograder.asking import LocalStudent, Question, Student, StudentError
from autograder.checking.agree import Agree
from autograder.checking.asked import Asked, too_little, too_much
from autograder.checking.collect import CHECKS, Check, ChecksBroken, collect
from autograder.checking.draw import Draw
from autograder.checking.loading import load
from autograder.checking.runner import CheckOutcome, Runner
from autograder.checking.trained import read_weights
from autograder.checking.weights import Weights
from autograder.checking.wrong import Wrong
from autograder.handout.checks import compare
from autograder.sandbox.modules import Blueprint

__all__ = [
    "CHECKS",
    "Agree",
    "Asked",
    "Blueprint",
    "Check",
    "CheckOutcome",
    "ChecksBroken",
    "Draw",
    "LocalStudent",
    "Question",
    "Runner",
    "Student",
    "StudentError",
    "Weights",
    "Wrong",
    "collect",
    "compare",
    "load",
    "read_weights",
    "too_little",
    "too_much",
]
