"""The walls from outside: which there are, and the command that runs a server behind them.

Inside the walls: no network, no readable file but Python, its packages and the worker's own
folder, no writable file but a scratch folder, an empty environment, no view of other processes.
The folder holds copies of this package alone; the grader, its checks, the course and the class
are not to be found in there, wherever the grader is installed.
"""

import functools
import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from autograder.sandbox import calls, causes, landlock
from autograder.sandbox.folder import SCRATCH, Folder

STANDING = ("sandlock", "bubblewrap", "plain")  # the best first
WALLS = (*STANDING, "none")
_PRELOAD = ("numpy", "matplotlib.pyplot", "math", "random")
_COPIED = (
    *("__init__", "calls", "confine", "elsewhere", "emptied", "failure", "fork", "gradients"),
    *("how", "imports", "kept", "landlock", "made", "meanwhile", "modules", "output", "overdue"),
    *("pages", "refusal", "server", "session", "tamper", "values", "warm", "wire", "work"),
)
# What systemd, too, gives to whoever needs a user for a while; no account has one of these.
_FREE_USERS = range(61184, 65520)
_TRIAL_SECONDS = 60
_TRIALS = 3  # what is killed, or ends without a word, was ended by somebody else: a wall says why


class NoWalls(Exception):
    """This machine offers no walls; the message says what to install."""


@functools.cache
def why_not(wall: str) -> str | None:
    """What keeps `wall` from standing on this machine, or None; says what to do about it.

    It is tried: a server's own command, which raises a fork's walls and ends.
    """
    if wall == "none":
        return None
    if sys.platform != "linux":
        return "it needs Linux; grade in a Linux virtual machine or container"
    if not calls.knows_this_machine():
        return "its call filter knows x86-64 and 64-bit Arm only"
    with Folder() as folder:
        missing = _missing(wall, folder)
        if missing:
            return missing
        copy_worker(folder)
        try:
            trial = command(wall, folder, processes=1, trial=True)
        except NoWalls as error:
            return str(error)
        for _ in range(_TRIALS):
            try:
                tried = subprocess.run(
                    trial,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    env={},
                    timeout=_TRIAL_SECONDS,
                )
            except subprocess.TimeoutExpired:
                return causes.told(wall, f"nothing for {_TRIAL_SECONDS} s")
            if tried.returncode == 0:
                return None
            said = tried.stderr.strip().splitlines()
            if said and tried.returncode > 0:
                return causes.told(wall, said[-1])
    return causes.told(wall, f"it ended with status {tried.returncode}")


def _missing(wall: str, folder: Path) -> str | None:
    """What is not there that the wall needs, as far as that can be seen without trying."""
    if wall == "bubblewrap":
        if not shutil.which("bwrap"):
            return "bwrap is not installed (Debian, Ubuntu, Fedora: the package bubblewrap)"
        return None
    try:
        known = landlock.version()
    except OSError as error:
        return causes.without_landlock(error)
    if wall == "plain":
        torch = importlib.util.find_spec("torch")
        found = torch.origin if torch and torch.origin else sys.executable
        return causes.closed_to_others(
            [sys.executable, sysconfig.get_path("stdlib"), found, folder.parent]
        )
    if importlib.util.find_spec("sandlock") is None:
        return "the Python package sandlock is not installed"
    import sandlock

    need = sandlock.min_landlock_abi()
    if known < need:
        return f"the kernel has Landlock version {known}, sandlock needs {need} (Linux 6.12)"
    return None


def choose() -> str:
    """The best walls that this machine offers. Raises NoWalls with what to install."""
    reasons = []
    for wall in STANDING:
        reason = why_not(wall)
        if reason is None:
            return wall
        reasons.append(f"  {wall}: {reason}")
    raise NoWalls(
        "student code may not run here, because no walls can be put around it:\n"
        + "\n".join(reasons)
        + "\nMend one of them, or accept the risk with --no-sandbox."
    )


def copy_worker(folder: Path) -> None:
    """Put into `folder` what the server needs: a copy of itself, links to packages, scratch."""
    (folder / SCRATCH).mkdir(exist_ok=True)
    target = folder / "worker" / "autograder" / "sandbox"
    target.mkdir(parents=True, exist_ok=True)
    (target.parent / "__init__.py").write_text("")
    for name in _COPIED:
        shutil.copy(Path(__file__).with_name(f"{name}.py"), target)
    # Links, each of which must lead to something readable: so that the folder of all packages,
    # the grader's among them, need not be.
    packages = folder / "worker" / "packages"
    if not packages.exists():
        packages.mkdir()
        for name, path in _packages().items():
            (packages / name).symlink_to(path)


def command(wall: str, folder: Path, processes: int, *, trial: bool = False) -> list[str]:
    """The command that runs the server behind `wall`; `folder` is as copy_worker left it.

    processes: how many a submission may have. trial: raise the walls, and end. Raises NoWalls
    when they would not hold. Behind plain, and as root, the folder is the server's user's then.
    """
    if wall in ("bubblewrap", "plain") and processes > 1:
        raise NoWalls(
            f"{wall} cannot hold a submission to {processes} processes, only to 1: set "
            "limits.processes in course.yml to 1, or use sandlock"
        )
    worker, scratch = str(folder / "worker"), str(folder / SCRATCH)
    inside = "/worker" if wall == "bubblewrap" else worker
    readable = [] if wall == "none" else _readable()
    rules = None
    if wall in ("sandlock", "plain"):
        rules = {
            "known": landlock.version(),
            # Behind sandlock its own walls stand, too.
            "readable": [*readable, worker] if wall == "plain" else ["/"],
            "writable": [scratch, os.devnull],
        }
    config = {
        "scratch": "/scratch" if wall == "bubblewrap" else scratch,
        "confined": wall != "none",
        "alone": wall in ("sandlock", "bubblewrap"),
        "user": _give_away(folder) if wall == "plain" and os.geteuid() == 0 else None,
        "rules": rules,
        "preload": _PRELOAD,
        "trial": trial,
    }
    path = [inside, f"{inside}/packages"]
    boot = f"import sys; sys.path += {path}; from autograder.sandbox.server import main; main()"
    interpreter = os.path.realpath(sys.executable)
    python = [interpreter, "-I", "-S", "-B", "-c", boot, json.dumps(config)]
    environment = {
        "HOME": str(config["scratch"]),
        "LOGNAME": "student",  # torch asks, and a user of no name is an error
        "TMPDIR": str(config["scratch"]),
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(config["scratch"]),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",  # where autograd has seen a GPU, no fork can use it any more
        "LC_ALL": "C.UTF-8",
    }
    environment |= {} if trial else _processor()
    if wall == "sandlock":
        walls = {
            "readable": [*readable, worker],
            "scratch": scratch,
            "environment": environment,
            "processes": processes,
        }
        launch = Path(__file__).with_name("launch.py")
        # Not everyone has a home, which sandlock would look for.
        return [*_env(HOME=scratch), sys.executable, "-I", str(launch), json.dumps(walls), *python]
    if wall == "bubblewrap":
        return [*_bubblewrap(readable, environment, folder / "worker"), *python]
    return [*_env(**environment), *python]


def _processor() -> dict[str, str]:
    """Which of its kernels torch is to use: those that it uses here, to the last digit.

    Where /proc cannot be read it takes the processor for the least one there is.
    """
    import torch  # whoever grades has it

    found = torch.backends.cpu.get_cpu_capability().lower()
    return {"ATEN_CPU_CAPABILITY": found} if found.startswith("avx") else {}


def _env(**variables: str) -> list[str]:
    return ["/usr/bin/env", *(f"{name}={value}" for name, value in variables.items())]


def _give_away(folder: Path) -> int:
    """Let a user of its own read the folder, and write the scratch folder. Returns who it is."""
    scratch = folder / SCRATCH
    # Whoever had it before, root apart, goes on with it: all that was left there is theirs.
    user = scratch.stat().st_uid or _FREE_USERS[secrets.randbelow(len(_FREE_USERS))]
    try:
        os.chown(folder, -1, user)
    except OSError as error:
        raise NoWalls(
            f"root may not become a user of its own here ({error.strerror}): grade as an ordinary "
            "user"
        ) from error
    os.chmod(folder, 0o750)
    os.chown(scratch, user, user)
    for path in (folder / "worker").rglob("*"):
        if not path.is_symlink():
            os.chown(path, -1, user)
            os.chmod(path, 0o750)
    return user


def _bubblewrap(readable: list[str], environment: dict[str, str], worker: Path) -> list[str]:
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user"]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    command += ["--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    for each in readable:
        command += ["--ro-bind-try" if not os.path.islink(each) else "--ro-bind", each, each]
    command += ["--dev-bind", os.devnull, os.devnull, "--dev-bind", "/dev/urandom", "/dev/urandom"]
    command += ["--ro-bind", str(worker), "/worker", "--size", str(1 << 28), "--tmpfs", "/scratch"]
    # What holds the mounts would tell, by their names, where the grader keeps things.
    mounted = {Path(each) for each in (*readable, os.devnull, "/worker")}
    holding = {parent for each in mounted for parent in each.parents} - mounted
    for folder in sorted(holding):
        command += ["--chmod", "0111", str(folder)]
    command += ["--remount-ro", "/"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    return [*command, "--chdir", "/scratch", "--"]


def _packages() -> dict[str, Path]:
    """What is installed beside the grader, by name; as on sys.path, the first one counts."""
    found: dict[str, Path] = {}
    for folder in map(Path, reversed(sys.path)):
        if folder.name in ("site-packages", "dist-packages"):
            found |= {entry.name: entry for entry in folder.iterdir()}
    return {
        name: path
        for name, path in found.items()
        if "autograder" not in name and path.suffix != ".pth"
    }


def _readable() -> list[str]:
    """Python, its libraries and its packages; never the grader, however it was installed."""
    system = {Path(each) for each in ("/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache")}
    system |= {Path("/dev/urandom"), Path("/usr/share/zoneinfo")}
    # Without these torch does not know the processor, and computes nothing in float16.
    system |= {Path("/proc/cpuinfo"), Path("/sys/devices/system/cpu")}
    system |= {Path(os.path.realpath(sys.executable))}
    system |= {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    system |= {*Path(sys.base_prefix).glob("lib/libpython3*.so*")}
    found = [path for path in (*system, *_packages().values()) if path.exists()]
    # What lies in another one goes without saying, and sandlock looks through all at each opening.
    readable = sorted(each for each in found if system.isdisjoint(each.parents))
    grader = Path(__file__).resolve().parents[1]
    if any(grader.is_relative_to(path.resolve()) for path in readable):
        raise NoWalls(
            f"the grader lies where submissions may read: {grader}\n"
            "Install it into a virtual environment of its own (python3 -m venv .venv)."
        )
    return [str(path) for path in readable]
