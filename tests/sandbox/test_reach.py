"""What a file wall alone lets through, and old file walls more: the call filter must stop it."""

import errno
import os
import platform

import pytest
from test_walls import LIMITS, WALLS, ask, inside

from autograder.sandbox import landlock, walls
from autograder.sandbox.host import ForkEnded, Server

NUMBERS = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the numbers are those of x86-64"
)
LIBC = "libc = ctypes.CDLL(None, use_errno=True)"


@pytest.fixture(scope="module", params=WALLS)
def server(request):
    with Server(request.param, LIMITS) as found:
        yield found


@pytest.mark.parametrize(
    "way",
    [
        "fcntl.ioctl(os.open(OURS, os.O_RDONLY), 0x80086601, bytes(8))",  # FS_IOC_GETFLAGS
        "fcntl.ioctl(os.open('.', os.O_RDONLY), 0x40086602, bytes(8))",  # FS_IOC_SETFLAGS
        "fcntl.flock(os.open(OURS, os.O_RDONLY), fcntl.LOCK_EX)",
        "fcntl.fcntl(os.open(OURS, os.O_RDONLY), 1024, 0)",  # F_SETLEASE
        "os.readlink('/proc/self/cwd')",
        "os.readlink(f'/proc/{os.getppid()}/cwd')",
        "os.readlink(f'/proc/{os.getppid()}/exe')",
        "os.readlink(f'/proc/{os.getppid()}/fd/0')",
        "os.readlink(link())",
        "os.truncate(mine(), 0)",
        "os.open(mine(), os.O_RDONLY | os.O_TRUNC)",
        "os.open(mine(), 3)",
        "os.open(mine(), 3 | os.O_TRUNC)",
        "os.open('.', os.O_TMPFILE | os.O_RDWR)",
        "os.chmod(mine(), 0o600)",
        "os.utime(mine())",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "socket.socketpair()[0].sendmsg([b'x'])",
        "os.memfd_create('x')",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.getpgid(os.getppid())",
        "os.sched_getaffinity(os.getppid())",
        "os.pidfd_open(os.getppid())",
        "os.killpg(os.getppid(), 0)",
        "os.getxattr(OURS, 'user.x')",
        "os.statvfs('/')",
        "os.mkfifo('pipe')",
        "os.setuid(os.getuid())",
    ],
)
def test_a_way_out_is_closed(server, way):
    before = (
        "import fcntl, autograder.sandbox\n"
        "OURS = os.path.join(os.path.dirname(autograder.sandbox.__file__), 'server.py')\n"
        "def mine():\n    open('mine', 'w').close(); return 'mine'\n"
        "def link():\n    os.symlink('mine', 'link'); return 'link'\n"
    )
    refused = ("PermissionError", "OSError: [Errno 38]")
    assert str(inside(server, way, before)).startswith(refused)


@NUMBERS
@pytest.mark.parametrize(
    ("call", "number"),
    [
        *(("truncate", 76), ("syslog", 103), ("personality", 135), ("quotactl", 179)),
        *(("shmget", 29), ("shmat", 30), ("shmctl", 31), ("shmdt", 67)),
        *(("semget", 64), ("semop", 65), ("semctl", 66), ("semtimedop", 220)),
        *(("msgget", 68), ("msgsnd", 69), ("msgrcv", 70), ("msgctl", 71)),
        *(("mq_open", 240), ("mq_unlink", 241), ("mq_timedsend", 242), ("mq_notify", 244)),
        *(("connect", 42), ("bind", 49), ("sendmsg", 46), ("recvmsg", 47), ("sendmmsg", 307)),
        *(("process_vm_writev", 311), ("kcmp", 312), ("get_robust_list", 274)),
        *(("userfaultfd", 323), ("perf_event_open", 298), ("keyctl", 250), ("seccomp", 317)),
        *(("setns", 308), ("umount2", 166), ("open_by_handle_at", 304), ("io_setup", 206)),
        *(("timer_create", 222), ("inotify_init1", 294), ("fanotify_init", 300)),
    ],
)
def test_a_call_is_refused(server, call, number):
    got = inside(server, f"(libc.syscall({number}, *[0] * 6), ctypes.get_errno())", before=LIBC)
    assert got == (-1, errno.EPERM)


@NUMBERS
@pytest.mark.parametrize(
    ("call", "number"),
    [
        *(("pidfd_send_signal", 424), ("io_uring_setup", 425), ("open_tree", 428)),
        *(("move_mount", 429), ("fsopen", 430), ("fsmount", 432), ("pidfd_open", 434)),
        *(("clone3", 435), ("openat2", 437), ("pidfd_getfd", 438), ("mount_setattr", 442)),
        *(("landlock_create_ruleset", 444), ("memfd_secret", 447), ("statmount", 457)),
        *(("listmount", 458), ("file_setattr", 469), ("one of a later kernel", 999)),
    ],
)
def test_a_new_call_is_as_unknown_as_on_an_old_kernel(server, call, number):
    got = inside(server, f"(libc.syscall({number}, *[0] * 6), ctypes.get_errno())", before=LIBC)
    assert got == (-1, errno.ENOSYS)


@NUMBERS
def test_x86s_second_table_is_refused(server):
    try:
        got = inside(server, f"libc.syscall({0x40000000 | 39})", before=LIBC)
    except ForkEnded as ended:  # sandlock's own filter does not just refuse it
        got = -ended.outcome.signal
    assert got in (-1, -31)


@NUMBERS
@pytest.mark.parametrize("flag", [0x10000000, 0x20000000, 0x02000000])
def test_no_namespace_comes_with_a_thread(server, flag):
    thread = 0x00010F00  # CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_THREAD
    got = inside(
        server, f"(libc.syscall(56, {thread | flag}, 0, 0, 0, 0), ctypes.get_errno())", LIBC
    )
    assert got == (-1, errno.EPERM)


@NUMBERS
def test_the_calls_of_another_machine_end_it(server):
    """int 0x80: getpid of 32-bit x86, whose numbers mean other calls."""
    source = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        r"page.write(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3')" + "\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(at)()\n"
    )
    with server.fork() as fork:
        ask(fork, op="start", banned=[], banned_in={}, modules={})
        with pytest.raises(ForkEnded) as ended:
            ask(fork, op="cell", name="a", source=source)
    assert ended.value.outcome.signal == 31  # SIGSYS


def test_what_is_needed_is_there(server):
    for expression, value in (
        ("[each.send(b'x') for each in socket.socketpair()]", [1, 1]),
        ("os.isatty(1)", False),
        ("[os.kill(os.getpid(), 0), os.kill(0, 0)]", [None, None]),
        ("open('a', 'w').write('x') and open('a').read()", "x"),
        ("os.rename('a', 'b') or os.listdir('.')", ["b"]),
        ("os.mkdir('d') or os.rename('a', 'd/a') or os.listdir('d')", ["a"]),
        ("__import__('tempfile').TemporaryFile().write(b'x')", 1),
        ("os.path.realpath('a').endswith('scratch/a')", True),
        ("open(os.devnull, 'w').write('x')", 1),
        ("len(os.urandom(4)) + len(open('/dev/urandom', 'rb').read(4))", 8),
        ("__import__('asyncio').run(__import__('asyncio').sleep(0, 5))", 5),
    ):
        assert inside(server, expression, "open('a', 'w').close()") == value, expression


# Older kernels, as far as a newer one can play them: rules that say no more than theirs could.


@pytest.fixture(scope="module", params=[1, 2, 3, 5])
def old(request):
    if reason := walls.why_not("plain"):
        pytest.skip(f"plain: {reason}")
    if request.param > landlock.version():
        pytest.skip("the kernel is older still")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landlock, "version", lambda: request.param)
        with Server("plain", LIMITS) as found:
            found.start()
            yield found


@pytest.mark.parametrize(
    "way",
    [
        "open('/etc/passwd').read()",
        "os.listdir('/proc')",
        "open(OURS, 'a')",
        "os.truncate(OURS, 0)",
        "os.open(OURS, os.O_RDONLY | os.O_TRUNC)",
        "os.open(OURS, 3 | os.O_TRUNC)",
        "os.rename(OURS, 'mine')",
        "os.link(OURS, 'mine')",
        "open('../mine', 'w')",
        "os.kill(os.getppid(), 0)",
        "socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_an_old_kernel_holds_as_well(old, way):
    before = (
        "import autograder.sandbox\n"
        "OURS = os.path.join(os.path.dirname(autograder.sandbox.__file__), 'server.py')\n"
    )
    size = os.path.getsize(old._folder / "worker/autograder/sandbox/server.py")
    assert str(inside(old, way, before)).startswith(("PermissionError", "OSError: [Errno 18]"))
    assert os.path.getsize(old._folder / "worker/autograder/sandbox/server.py") == size


def test_an_old_kernel_removes_nothing_either(old):
    ours = old._folder / "worker/autograder/sandbox/server.py"
    assert inside(old, f"os.unlink({str(ours)!r})") is None  # as far as it can tell
    assert ours.exists()


def test_an_old_kernel_empties_the_scratch_folder(old):
    leave = "os.makedirs('a/b/c'); open('a/b/c/d', 'w').close()"
    assert inside(old, "os.listdir('.')", leave) == ["a"]
    assert inside(old, "os.listdir('.')") == []
