"""The loop that a call was in when its time was over."""

import linecache
import sys
from itertools import groupby

import pytest

from autograder.asking.blame import TookTooLong
from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, StudentError
from autograder.course import Verdict
from autograder.sandbox import walls
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server
from autograder.sandbox.overdue import loop_around

# `look()` stands where time is over: the loop that is to be told has the comment.
LOOPS = {
    "a while": """
def f():
    x = 1
    while x:  # this
        x += look()
""",
    "a for": """
def f():
    for x in range(2):  # this
        look()
""",
    "an outer for, where both would end": """
def f():
    for x in range(2):  # this
        for y in range(2):
            look()
""",
    "the while in a for": """
def f():
    for x in range(2):
        while True:  # this
            look()
""",
    "the outer of two whiles": """
def f():
    while True:  # this
        while True:
            look()
""",
    "one around what it calls": """
def g():
    for x in range(2):
        look()
def f():
    while True:  # this
        g()
""",
    "one inside of what is called": """
def g():
    while True:  # this
        look()
def f():
    g()
""",
    "not one that is done": """
def f():
    for x in range(2):
        pass
    while True:  # this
        look()
    for x in range(2):
        pass
""",
    "not one whose else it is": """
def f():
    while True:  # this
        for x in range(2):
            pass
        else:
            look()
""",
    "not one in which it was defined": """
for x in range(2):
    def f():
        for y in range(2):  # this
            look()
""",
    "a comprehension": """
def f():
    return [
        look()
        for x in [  # the list that it begins with
            1
        ]
    ]
""".replace("return [", "return [  # this"),
    "a generator that is summed": """
def f():
    return sum(look() for x in range(2))  # this
""",
    "a method's": """
class C:
    @staticmethod
    def f():
        while True:  # this
            look()
f = C.f
""",
    "one that a lambda is called in": """
def f():
    while True:  # this
        (lambda: look())()
""",
    "one whose condition it is": """
def f():
    while look():  # this
        pass
""",
}


class Found(BaseException):
    """What was told."""


def told(source, run="f()"):
    """What is told where `look` is called."""
    name = "<cell one>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)

    def look():
        raise Found(loop_around(sys._getframe(1)))

    names = {"look": look}
    exec(compile(source, name, "exec"), names)
    with pytest.raises(Found) as found:
        exec(run, names)
    return found.value.args[0]


@pytest.mark.parametrize("name", LOOPS)
def test_the_loop_is_told_with_its_line(name):
    source = LOOPS[name]
    lines = source.splitlines()
    (expected,) = (at for at, line in enumerate(lines, 1) if line.endswith("# this"))
    found = told(source)
    assert (found.cell, found.line) == ("one", expected)
    assert found.source in lines[expected - 1]
    assert found.function.endswith(("f", "g"))


def test_where_there_is_no_loop_none_is_told():
    assert told("def f():\n    look()\n") is None
    assert told("def f():\n    look()\n", run="while True: f()") is None  # not the student's


def test_the_clock_may_ring_at_any_instruction():
    """Those that a loop adds itself stand in no line."""
    source = "def f():\n    for _ in range(2):\n        look() or look()\n    look()\n"
    name, lines = "<cell one>", []
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)

    def trace(frame, event, arg):
        if frame.f_code.co_filename == name:
            frame.f_trace_opcodes = True
        if event == "opcode":
            try:
                found = loop_around(frame)
                lines.append(found and found.line)
            except Exception as error:
                lines.append(error)
        return trace

    names = {"look": lambda: 0}
    exec(compile(source, name, "exec"), names)
    sys.settrace(trace)
    try:
        names["f"]()
    finally:
        sys.settrace(None)
    assert [line for line, _ in groupby(lines)] == [2, None]


# Behind the walls

LIMITS = Limits(wall_seconds=8, call_seconds=0.4, memory_mib=256, processes=1, output_bytes=1 << 20)


@pytest.fixture(scope="module")
def server():
    with Server(walls.choose(), LIMITS) as found:
        yield found


def submission(server, source):
    """One of a single cell, which is to define `f`."""
    cell = Cell("one", source, solution=True)
    about = {"modules": {}, "banned": (), "banned_in": {}, "defined_in": {"f": "one"}}
    return RemoteStudent(server, [cell], **about)


def asked(server, source):
    """What is raised when its function is asked."""
    with submission(server, source) as student:
        with pytest.raises(StudentError) as found:
            student.call("f")
        with pytest.raises(StudentError) as again:
            student.call("f")
    assert str(again.value) == str(found.value)
    assert found.value.verdict is Verdict.TIMEOUT
    return found.value


@pytest.mark.parametrize(
    "body",
    [
        "x = 0",
        "try: raise ValueError\n        except BaseException: pass",
        "import time; time.sleep(0.01)",
        "import time; time.sleep(60)",
        "import threading; threading.Event().wait()",
        "[x for x in range(1_000_000)]",
    ],
)
def test_a_call_without_end_is_told_with_its_loop(server, body):
    error = asked(server, f"def f():\n    while True:\n        {body}\n")
    assert isinstance(error, TookTooLong)
    assert str(error) == (
        "f did not finish within 0.4 seconds. It was still in this loop.\n"
        "  in the cell one, line 2: while True:"
    )


def test_so_is_one_that_calls_itself_again_and_again(server):
    """Nine hundred frames, of a cell of two hundred lines, are looked through in a moment."""
    more = "".join(f"def g{n}(x):\n    return x\n" for n in range(100))
    source = "def f(n=0):\n    for _ in range(2):\n        n > 900 or f(n + 1)\n"
    error = asked(server, source + more)
    assert isinstance(error, TookTooLong)
    assert (error.loop.line, error.loop.source) == (2, "for _ in range(2):")


def test_so_is_a_cell_without_end(server):
    error = asked(server, "def f():\n    return 1\nwhile f():\n    pass\n")
    assert isinstance(error, TookTooLong)
    assert str(error).startswith("the cell one did not finish within 0.4 seconds.")
    assert (error.loop.cell, error.loop.line, error.loop.function) == ("one", 3, None)


@pytest.mark.parametrize(
    "source",
    [
        "import time\ndef f():\n    time.sleep(60)\n",
        # who does not want to be looked at is not
        "import signal\ndef f():\n    signal.setitimer(signal.ITIMER_REAL, 0)\n"
        "    while True:\n        pass\n",
        "import signal\ndef f():\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "    while True:\n        pass\n",
        "import linecache, ast\ndef f():\n    ast.parse = linecache.getlines = None\n"
        "    while True:\n        pass\n",
    ],
)
def test_without_a_loop_its_end_is_told_all_the_same(server, source):
    error = asked(server, source)
    assert not isinstance(error, TookTooLong)
    assert str(error).startswith("f did not finish within 0.4 seconds. Is there a loop")


def test_a_call_that_ends_in_time_rings_nothing(server):
    source = (
        "import time\ndef f():\n    for _ in range(3):\n        time.sleep(0.09)\n    return 1\n"
    )
    with submission(server, source) as student:
        assert [student.call("f").value for _ in range(4)] == [1] * 4  # each has its own time


@pytest.mark.parametrize("what", ["{}", "3", "{'line': 'x'}", "{'line': 3, 'cell': 7}"])
def test_what_a_submission_says_of_its_loop_is_read_with_care(server, what):
    source = f"""
import gc, socket
from autograder.sandbox import wire
def f():
    (channel,) = [x for x in gc.get_objects() if isinstance(x, socket.socket)][:1]
    wire.send(channel, wire.encode({{"Overdue": {what}}}, {{}}))
    while True:
        pass
"""
    error = asked(server, source)
    assert "f did not finish within 0.4 seconds" in str(error)
