"""A sentence about what is wrong, and of what kind that is: a hint fits some kinds alone."""

from collections.abc import Hashable
from typing import NamedTuple

KINDS = (
    *("values", "infinite", "gradient", "shape", "dtype", "device", "type"),  # of what is returned
    *("input", "mode", "earlier"),  # of what is left behind
    *("layout", "error"),  # of exceptions: of views, and any other
)
FITS = ("values", "infinite", "gradient")  # what a hint fits that says nothing else
# How torch's own exceptions tell of these.
_TORCH_SAYS = {
    "device": ("same device",),
    "dtype": ("dtype", "scalar type"),
    "layout": ("view size is not compatible",),
    "shape": ("shape", "size", "dimension"),
}


class CheckFailed(AssertionError):
    """The notebook does not pass; the message says what was expected, what came, and a hint."""

    def _render_traceback_(self) -> list[str]:  # what Jupyter shows: the message, no frames
        return [str(self)]


class Cause(NamedTuple):
    """What makes several items fail alike."""

    key: Hashable  # equal for one and the same cause
    said: str  # in a few words


class Problem(str):
    """What is wrong, in a sentence; kind: one of KINDS; cause: where it is known."""

    kind: str
    cause: Cause | None

    def __new__(cls, said: str, kind: str = "values", cause: Cause | None = None) -> "Problem":
        """The sentence, with its kind and cause."""
        problem = super().__new__(cls, said)
        problem.kind = kind
        problem.cause = cause
        return problem

    def of(self, what: str) -> "Problem":
        """The same, said of something."""
        return Problem(f"{what}: {self}", self.kind, self.cause)

    @property
    def of_gradient(self) -> "Problem":
        """The same, when the value is a gradient."""
        return Problem(self, "gradient") if self.kind == "values" else self


def kind_of_error(name: str, message: str) -> str:
    """Of what kind an exception of this type is."""
    if name in ("RuntimeError", "IndexError"):
        for kind, words in _TORCH_SAYS.items():
            if any(each in message for each in words):
                return kind
    return "error"
