"""Behind the gaps that imports leave, what is taken lies side by side."""

import subprocess
import sys

import pytest

_TAKEN = """
import ctypes, sys
from autograder.sandbox import pages

make = eval(sys.argv[1])
held = [make() for _ in range(40_000)]
del held[::20]
if sys.argv[2] == "closed":
    pages.close_gaps()
taken = [make() for _ in range(1_000)]
where = id if type(taken[0]) is bytes else ctypes.addressof
print(len({where(each) >> 12 for each in taken}))
"""


def _pages(made: str, gaps: str) -> int:
    """Over how many pages a thousand new pieces are strewn."""
    command = [sys.executable, "-c", _TAKEN, made, gaps]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(
    ("made", "size"),
    [("lambda: bytes(200)", 240), ("lambda: ctypes.create_string_buffer(600)", 700)],
    ids=["objects", "heap"],
)
def test_what_is_taken_lies_side_by_side(made: str, size: int) -> None:
    """In as many pages as it fills, or a few more, where it was in one for each piece, nearly."""
    least = 1_000 * size // 4096
    assert _pages(made, "open") > 3 * least
    assert _pages(made, "closed") < 1.5 * least
