"""What a submission meets inside the walls. Nothing here runs outside of them."""

import os
import select
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from autograder.sandbox import values, walls, wire
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import ForkEnded, ForkTooSlow, Server, ServerFailed
from autograder.sandbox.server import _watch
from autograder.sandbox.walls import NoWalls

LIMITS = Limits(wall_seconds=10, call_seconds=2, memory_mib=256, processes=1, output_bytes=1 << 20)
WALLS = [
    pytest.param(wall, marks=pytest.mark.skipif(bool(reason), reason=f"{wall}: {reason}"))
    for wall in walls.STANDING
    for reason in [walls.why_not(wall)]
]


@pytest.fixture(scope="module", params=WALLS)
def server(request):
    with Server(request.param, LIMITS) as found:
        yield found


def ask(fork, seconds=60.0, **header):
    fork.send(wire.encode(header, {}))
    return fork.receive(seconds)


def inside(server, expression, before=""):
    """The value of an expression in a fresh fork, or the exception's words."""
    source = (
        f"import os, socket, ctypes, resource, signal, subprocess, sys, threading\n{before}\n"
        f"try:\n    value = {expression}\nexcept BaseException as error:\n"
        "    value = f'{type(error).__name__}: {error}'\n"
    )
    with server.fork() as fork:
        ask(fork, op="start", banned=[], banned_in={}, modules={})
        header, _ = ask(fork, op="cell", name="a", source=source)
        assert header["failure"] is None
        header, tensors = ask(fork, op="get", name="value")
        return values.unpack(header["value"], tensors)


REFUSED = ("PermissionError", "FileNotFoundError", "OSError", "BlockingIOError")


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd').read()",
        f"open({str(Path(__file__).resolve())!r}).read()",
        "os.listdir('/home')",
        "os.listdir('/proc')",
        "os.listdir('/')",
        "os.listdir('..')",
        "open('/proc/self/maps').read()",
        "open(os.path.join(os.path.dirname(os.__file__), 'mine.py'), 'w')",
        "open('/tmp/mine', 'w')",
        "open('../mine', 'w')",
        "os.mkdir('/mine')",
        "os.fork()",
        "os.execv(sys.executable, [sys.executable])",
        "subprocess.run([sys.executable, '--version'])",
        "os.kill(os.getppid(), 0)",
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.kill(-1, signal.SIGKILL)",
        "os.kill(1, signal.SIGKILL)",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))",
        "os.chroot('.')",
    ],
)
def test_refused(server, expression):
    assert str(inside(server, expression)).startswith(REFUSED)


@pytest.mark.parametrize(
    ("call", "number"),
    [("ptrace", 101), ("process_vm_readv", 310), ("unshare", 272), ("bpf", 321), ("mount", 165)],
)
def test_calls_refused(server, call, number):
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86-64")
    got = inside(
        server,
        f"(libc.syscall({number}, 0, 0, 0, 0, 0, 0), ctypes.get_errno())",
        before="libc = ctypes.CDLL(None, use_errno=True)",
    )
    assert got == (-1, 1)


def test_limits_cannot_be_raised(server):
    expression = "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))"
    assert "not allowed to raise" in inside(server, expression)


def test_files_end_at_their_limit(server):
    """There the fork goes on; the server, which looks again and again, sees no more than may be."""
    write = f"open('big', 'wb', 0).write(bytes({2 * LIMITS.output_bytes}))"
    looked_at = f"({write}, __import__('time').sleep(0.5))[0]"
    assert inside(server, looked_at) == LIMITS.output_bytes
    with pytest.raises(ForkEnded) as ended:
        inside(server, looked_at, before="open('one more', 'w').write('x')")
    assert ended.value.outcome.reason == "files"


def test_memory_ends_at_its_limit(server):
    assert inside(server, "len(bytearray(64 << 20))") == 64 << 20
    assert inside(server, "len(bytearray(512 << 20))").startswith("MemoryError")


def test_the_environment_is_empty_but_for_the_sandbox(server, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SECRET", "not for them")
    names = set(inside(server, "sorted(os.environ)"))
    assert "AUTOGRADER_SECRET" not in names
    folders = {"HOME", "TMPDIR", "MPLCONFIGDIR", "PWD", "LOGNAME"}
    settings = {"MPLBACKEND", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "LC_ALL", "LC_CTYPE"}
    settings.add("ATEN_CPU_CAPABILITY")
    assert names <= folders | settings


def test_torch_computes_to_the_last_digit_what_it_does_outside(server):
    found = "torch.backends.cpu.get_cpu_capability()"
    assert inside(server, found, "import torch") == torch.backends.cpu.get_cpu_capability()
    numbers = "torch.linspace(-3, 5, 700).reshape(7, 100).softmax(-1)"
    expected = torch.linspace(-3, 5, 700).reshape(7, 100).softmax(-1)
    assert inside(server, f"{numbers}.tolist()", "import torch") == expected.tolist()


def test_torch_computes_in_half_precision_too(server):
    """For that it looks at the processor, in files outside the walls."""
    numbers = "(torch.ones(2, 3).half() @ torch.ones(3, 2).half()).softmax(-1).tolist()"
    assert inside(server, numbers, "import torch") == [[0.5, 0.5], [0.5, 0.5]]


def test_a_picture_can_be_drawn(server):
    draw = "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\n"
    assert inside(server, "len(axes.lines)", f"{draw}figure.canvas.draw()") == 1


def test_the_course_is_not_there(server):
    root = Path(__file__).resolve().parents[2]
    got = inside(server, f"os.listdir({str(root)!r})")
    assert str(got).startswith(REFUSED)


def test_the_grader_is_not_there(server):
    for name in ("checking", "grading", "proof", "course", "export"):
        got = inside(server, f"__import__('autograder.{name}')")
        assert got.startswith("ModuleNotFoundError")


KINDS = """
def kind(fd):
    try: return [os.fstat(fd).st_mode]
    except OSError: return []
"""


def only_the_socket_and_nothing_are_open(server):
    modes = inside(server, "sum(map(kind, range(256)), [])", before=KINDS)
    assert len([mode for mode in modes if stat.S_ISSOCK(mode)]) == 1
    return all(stat.S_ISCHR(mode) or stat.S_ISSOCK(mode) for mode in modes)


def test_only_the_socket_and_nothing_are_open(server):
    assert only_the_socket_and_nothing_are_open(server)


@pytest.mark.parametrize("wall", WALLS)
def test_a_file_that_torch_holds_open_is_open_in_no_fork(wall, monkeypatch):
    opens, command = "import os, sys; os.open('/proc/self/exe', os.O_RDONLY);", walls.command

    def opening(*args, **options):
        return [each.replace("import sys;", opens, 1) for each in command(*args, **options)]

    monkeypatch.setattr(walls, "command", opening)
    with Server(wall, LIMITS) as server:
        assert only_the_socket_and_nothing_are_open(server)


def test_a_user_has_a_name(server):
    """Older versions of torch ask for it where an optimiser is made."""
    assert inside(server, "__import__('getpass').getuser()") == "student"


def test_no_thread_starts_where_no_process_may(server):
    source = "threading.Thread(target=print).start()"
    assert inside(server, source) == "RuntimeError: can't start new thread"


OPEN_WITHOUT_A_NAME = """
import mmap
def fill(leave):
    kept = []
    for number in range(16):
        with open(f'mine{number}', 'wb+') as file:
            file.write(bytes(LIMIT // 4))
            kept.append(mmap.mmap(file.fileno(), 4096))
        leave(f'mine{number}', f'other{number}')
    return len(kept)
"""


@pytest.mark.parametrize(
    "leave",
    [
        "lambda one, _: os.unlink(one)",
        "lambda one, other: (open(other, 'w'), os.replace(one, other))",
    ],
)
def test_files_that_are_open_and_have_no_name_are_counted(server, leave):
    before = OPEN_WITHOUT_A_NAME.replace("LIMIT", str(LIMITS.output_bytes))
    with pytest.raises(ForkEnded) as ended:
        inside(server, f"[fill({leave}), __import__('time').sleep(50)]", before=before)
    assert ended.value.outcome.reason == "files"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("os.rename('a', 'b') or open('b').read()", "a"),
        ("os.replace('a', 'there') or open('there').read()", "a"),
        ("pathlib.Path('a').rename('there').read_text()", "a"),
        ("tempfile.TemporaryDirectory().cleanup()", None),
        ("tempfile.NamedTemporaryFile().close()", None),
        ("os.remove('a')", None),
        ("os.rename('nothing', 'b')", "FileNotFoundError"),
    ],
)
def test_files_can_be_renamed_and_removed_as_far_as_one_can_tell(server, expression, value):
    before = "import pathlib, tempfile\nfor each in ('a', 'there'): open(each, 'w').write(each)"
    got = inside(server, expression, before=before)
    assert got == value or got.startswith(value)


def test_the_scratch_folder_is_empty_for_each(server):
    hide = (
        "os.makedirs('a/b'); open('a/b/c', 'w').write('x')\n"
        "for name in ('a/b', 'a'):\n"
        "    try: os.chmod(name, 0)\n"
        "    except OSError: pass\n"
    )
    assert inside(server, "os.listdir('.')", before=hide) == ["a"]
    assert inside(server, "os.listdir('.')") == []


def test_nothing_of_a_process_survives(server):
    poison = "import math\nmath.pi = 3\nsys.modules['json'] = None\nos.environ['X'] = '1'"
    assert inside(server, "math.pi", before=poison) == 3
    assert inside(server, "__import__('math').pi") > 3.1
    assert inside(server, "'X' in os.environ") is False


def test_filling_the_folder_ends_the_fork(server):
    loop = "n = 0\nwhile True:\n    n += 1\n    open(f'f{n}', 'wb').write(b'x' * 100_000)"
    with server.fork() as fork:
        ask(fork, op="start", banned=[], banned_in={}, modules={})
        with pytest.raises(ForkEnded) as ended:
            ask(fork, op="cell", name="a", source=loop)
    assert ended.value.outcome.reason == "files"
    assert inside(server, "os.listdir('.')") == []


def test_whose_time_ran_out_on_filling_the_folder_is_told_of_the_files(tmp_path):
    """Whether the server had looked before hangs on how busy the machine is."""
    (tmp_path / "big").write_bytes(bytes(LIMITS.output_bytes + 1))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.send(b"kill")
        child = os.posix_spawnp("sleep", ["sleep", "60"], os.environ)
        assert _watch(child, theirs, str(tmp_path), LIMITS.output_bytes)["reason"] == "files"


def test_a_loop_is_ended_in_time(server):
    server.start()
    started = time.monotonic()
    with server.fork() as fork:
        ask(fork, op="start", banned=[], banned_in={}, modules={})
        with pytest.raises(ForkTooSlow):
            ask(fork, seconds=0.3, op="cell", name="a", source="while True: pass")
    assert time.monotonic() - started < LIMITS.wall_seconds  # by when it would be ended anyhow
    assert inside(server, "1 + 1") == 2


@pytest.mark.parametrize(
    ("source", "code", "signal"),
    [
        ("import os; os._exit(7)", 7, None),
        ("import ctypes; ctypes.string_at(0)", None, 11),
        ("import os; os.abort()", None, 6),
    ],
)
def test_how_a_fork_ended_is_told(server, source, code, signal):
    with server.fork() as fork:
        ask(fork, op="start", banned=[], banned_in={}, modules={})
        with pytest.raises(ForkEnded) as ended:
            ask(fork, op="cell", name="a", source=source)
    assert ended.value.outcome.exit == code
    assert ended.value.outcome.signal == signal


def test_garbage_on_the_channel_is_the_forks_fault(server):
    source = (
        "import os, stat\n"
        "for fd in range(3, 64):\n"
        "    try:\n"
        "        if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, b'\\xff' * 64)\n"
        "    except OSError: pass\n"
    )
    with server.fork() as fork:
        ask(fork, op="start", banned=[], banned_in={}, modules={})
        with pytest.raises(wire.WireError):
            ask(fork, op="cell", name="a", source=source)
    assert inside(server, "1 + 1") == 2


def test_bubblewrap_promises_no_more_than_one_process(tmp_path):
    with pytest.raises(NoWalls, match=r"3 processes.*limits\.processes"):
        walls.command("bubblewrap", tmp_path, 3)


@pytest.mark.parametrize("wall", WALLS[:1])
def test_more_processes_when_the_course_allows_them_and_none_stays(wall):
    limits = Limits(10, 5, 256, 3, 1 << 20)
    leave = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    while True:\n"
        "        open('alive', 'w').write('x'); time.sleep(0.01)\n"
        "while not os.path.exists('alive'): time.sleep(0.01)\n"
    )
    with Server(wall, limits) as server:
        assert inside(server, "os.path.exists('alive')", before=leave) is True
        assert inside(server, "__import__('time').sleep(0.2) or os.listdir('.')") == []


def test_the_server_is_gone_with_its_folder():
    with Server(walls.choose(), LIMITS) as server:
        server.start()
        folder = server._folder
        assert folder.exists()
    assert not folder.exists()


@pytest.mark.parametrize("wall", WALLS)
def test_a_server_that_was_killed_is_started_again_where_it_was(wall):
    leave = "import os; os.makedirs('a/b'); open('a/b/c', 'w').close()"
    with Server(wall, LIMITS) as server:
        fork = server.fork()
        channel = fork.__enter__()
        ask(channel, op="start", banned=[], banned_in={}, modules={})
        ask(channel, op="cell", name="a", source=leave)
        server._process.kill()
        gone = select.poll()
        gone.register(server._control, 0)
        assert gone.poll(30_000)  # what was killed may be the parent of the server itself
        with pytest.raises(ServerFailed):
            fork.__exit__(None, None, None)
        assert inside(server, "os.listdir('.')") == []


def test_no_walls_no_grading(monkeypatch):
    monkeypatch.setattr(walls, "why_not", lambda wall: f"{wall} is not there")
    with pytest.raises(NoWalls, match=r"(?s)sandlock is not there.*bubblewrap is not there.*--no-"):
        walls.choose()


def test_the_network_is_not_there_even_for_the_server(server):
    """A listener outside is not reached: the fork has no socket to reach it with."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = listener.getsockname()
        got = inside(server, f"socket.create_connection({address!r}, 1)")
    assert got.startswith(REFUSED)


def test_no_gpu_is_seen():
    """On a machine that has one, autograd would be lost to every fork once it was asked for it."""
    code = "import autograder, torch; print(torch.cuda.device_count())"
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "0"}
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout == "0\n"
