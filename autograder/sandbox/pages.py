"""The server's memory as its forks find it: what a fork writes to, the kernel copies first.

That is done page by page, and was a third of what a fork costs. So what a fork takes shall lie side
by side, and what it shares with the server in large pages.
"""

import ctypes
import gc
import itertools
from collections.abc import Callable

_LARGE_PAGE = 1 << 21
_FAR = 1 << 12  # large pages: the heap and the maps lie further apart
_POOL = 1 << 14  # bytes that Python takes at once for small objects of one size
_MOST_BYTES = 1 << 24  # of gaps, in pieces of one size


def close_gaps() -> None:
    """Take, for good, the gaps that imports have left, so that forks take memory behind them.

    There are tens of thousands, in as many pages as there are. Pieces of each size are taken until
    so many come one behind the other that they can lie in no gap.
    """
    heap, objects = ctypes.pythonapi.PyMem_RawMalloc, ctypes.pythonapi.PyObject_Malloc
    for each in heap, objects:
        each.restype, each.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
    for size in (1 << power for power in range(16, 3, -1)):
        _take(heap, size, apart=2 * size, in_a_row=64)
    # The numbers that Python reckons with here lie among them.
    for size in range(512, 0, -16):
        _take(objects, size, apart=_POOL, in_a_row=4 * _POOL // size)


def _take(allocate: Callable[[int], int], size: int, apart: int, in_a_row: int) -> None:
    """Allocate until so many pieces in a row are no more bytes apart than this."""
    last = row = 0
    for _ in range(_MOST_BYTES // size):  # elsewhere memory may be given out in another way
        at = allocate(size)
        row = row + 1 if abs(at - last) <= apart else 0
        last = at
        if row == in_a_row:
            return


def around_objects() -> list[int]:
    """The large pages, by number, among which Python's objects lie: in the heap, and in maps."""
    found = sorted({id(each) // _LARGE_PAGE for each in gc.get_objects()})
    return [
        page
        for one, other in itertools.pairwise([*found, found[-1] + _FAR])
        for page in range(one, other if other - one < _FAR else one + 1)
    ]


def make_large(pages: list[int]) -> None:
    """Have these be large pages, where the kernel knows how, and where nothing else lies in one."""
    collapse = 25  # MADV_COLLAPSE, from Linux 6.1 on
    for each in pages:
        start, bytes_ = ctypes.c_void_p(each * _LARGE_PAGE), ctypes.c_size_t(_LARGE_PAGE)
        ctypes.CDLL(None).madvise(start, bytes_, collapse)
