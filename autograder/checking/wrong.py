"""What a check raises about an answer that is not right."""

from autograder.handout.checks.problem import Problem
from autograder.sandbox.failure import Failure


class Wrong(Exception):
    """The submission's answer is wrong; the message is the sentence for the student.

    kind: one of KINDS; None where a check speaks in words of its own, which its hint fits.
    failure: an exception that is right but for its message, which says what is wrong with that.
    """

    def __init__(self, problem: str, failure: Failure | None = None) -> None:
        super().__init__(problem)
        self.failure = failure
        self.kind = problem.kind if isinstance(problem, Problem) else None
