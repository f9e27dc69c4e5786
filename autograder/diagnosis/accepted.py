"""Answers that a check is content with, though the numbers are not those of the reference.

Who draws random numbers in another way than the reference drops other numbers: that proves nothing
for a mistake, nor against one that leaves alone what is right. Nor do parameters that were there
before a call, where it is asked what the call adds.
"""

from dataclasses import dataclass

from autograder.diagnosis.comparing import same
from autograder.diagnosis.evidence import Case
from autograder.sandbox.session import Answer


@dataclass(frozen=True)
class Accepted(Answer):
    """A submission's answer that may differ, and that all checks which asked for it accepted."""


def agree(ours: Answer, theirs: Answer, case: Case, loosely: bool = False) -> bool:
    """Whether a fault's answer, theirs, speaks for it beside a submission's, ours.

    loosely: to the digits of float32 (see `same`).
    """
    if same(ours, theirs, case, loosely):
        return True
    return isinstance(ours, Accepted) and same(theirs, case.right, case)
