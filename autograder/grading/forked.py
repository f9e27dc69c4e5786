"""A process that has all that is here already, and that ends when this one does.

Ctrl-C and a closed terminal reach every process that a command has started; what is to become of
the others then is for the one that started them to say.
"""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start_forked(work: Callable[..., None], *args: Any) -> BaseProcess:
    """Start a process that does `work`, which begins with `ends_with_the_parent`."""
    process = multiprocessing.get_context("fork").Process(target=work, args=args)
    # Until it knows how to end, it does not: our way would be a traceback.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    process.start()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def ends_with_the_parent(leave: Callable[..., object]) -> None:
    """Have `leave` called at SIGTERM, which comes when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGHUP, lambda *_: None)
    signal.signal(signal.SIGTERM, leave)
    when_it_dies = 1  # PR_SET_PDEATHSIG
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(when_it_dies, int(signal.SIGTERM), 0, 0, 0)
    parent = multiprocessing.parent_process()
    if parent is None or os.getppid() != parent.pid:  # it was gone before
        sys.exit(0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
