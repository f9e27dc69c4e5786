"""What is said of walls that do not stand: the cause, and what to do about it."""

import errno
import os
import subprocess
import sys

import pytest

from autograder.sandbox import causes, landlock, walls
from autograder.sandbox.folder import Folder
from autograder.sandbox.walls import NoWalls

OFF = "/proc/sys/user/max_user_namespaces"
DEBIAN = "/proc/sys/kernel/unprivileged_userns_clone"
APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
FILTERED = {"/proc/self/status": "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1"}
ALL, SETFCAP = (1 << 41) - 1, 1 << 31


def capabilities(effective):
    return {"/proc/self/status": f"Name:\tx\nCapEff:\t{effective:016x}\nSeccomp:\t0"}


@pytest.fixture
def machine(monkeypatch):
    """Plays a machine: who we are, and what its files say."""

    def machine(files, user):
        monkeypatch.setattr(causes, "_read", files.get)
        monkeypatch.setattr(os, "geteuid", lambda: user)

    return machine


@pytest.mark.parametrize(
    ("wall", "files", "user", "words"),
    [
        ("bubblewrap", {OFF: "0"}, 1000, "sysctl -w user.max_user_namespaces"),
        ("bubblewrap", {DEBIAN: "0"}, 1000, "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("sandlock", {OFF: "0"}, 0, "user namespaces are switched off"),
        ("bubblewrap", {APPARMOR: "1"}, 1000, "bwrap-userns-restrict"),
        ("bubblewrap", FILTERED, 0, "a container's call filter"),
        ("bubblewrap", capabilities(ALL & ~SETFCAP), 0, "--cap-add SETFCAP"),
        ("sandlock", capabilities(ALL & ~SETFCAP), 0, "or grade as an ordinary user"),
        ("sandlock", capabilities(ALL), 0, "it does not stand here; it said: no"),
        ("bubblewrap", capabilities(0), 1000, "it does not stand here; it said: no"),
        ("sandlock", FILTERED, 1000, "a container's call filter"),
        ("sandlock", {OFF: "0"}, 1000, "it does not stand here; it said: no"),  # it needs none
        ("plain", {OFF: "0"} | FILTERED, 0, "it does not stand here; it said: no"),
        ("bubblewrap", {OFF: "9", APPARMOR: "0"}, 1000, "it does not stand here; it said: no"),
    ],
)
def test_the_cause_is_named(machine, wall, files, user, words):
    machine(files, user)
    said = causes.told(wall, "no")
    assert words in said
    assert said.endswith("; it said: no")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSYS, "Linux 5.13"),
        (errno.EOPNOTSUPP, "lsm="),
        (errno.EPERM, "the container's call filter forbids Landlock"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_without_landlock_plain_is_refused(monkeypatch, number, words):
    def version():
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(landlock, "version", version)
    assert words in walls.why_not.__wrapped__("plain")


def test_a_python_that_others_cannot_read_is_named(machine, tmp_path):
    python = tmp_path / "closed" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch(0o644)
    python.parents[1].chmod(0o700)
    machine({}, 1000)  # reads what it may read itself
    assert causes.closed_to_others([python]) is None
    machine({}, 0)
    assert f"chmod o+x {python.parents[1]}," in causes.closed_to_others([python])
    python.chmod(0o600)
    assert f"chmod o+r {python}," in causes.closed_to_others([python])


def test_a_root_that_may_become_nobody_else_is_told(monkeypatch):
    if reason := walls.why_not("plain"):
        pytest.skip(f"plain: {reason}")

    def chown(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(causes, "closed_to_others", lambda paths: None)
    monkeypatch.setattr(os, "chown", chown)
    assert "root may not become a user of its own" in walls.why_not.__wrapped__("plain")


def test_what_does_not_stand_is_not_chosen(monkeypatch):
    reasons = {"sandlock": "no", "bubblewrap": "no", "plain": None}
    monkeypatch.setattr(walls, "why_not", reasons.get)
    assert walls.choose() == "plain"
    reasons["plain"] = "no"
    with pytest.raises(NoWalls, match="plain: no"):
        walls.choose()


@pytest.mark.parametrize(("deaths", "stands"), [(1, True), (9, False)])
def test_a_trial_that_somebody_killed_is_made_again(monkeypatch, tmp_path, deaths, stands):
    if reason := walls.why_not("sandlock"):
        pytest.skip(f"sandlock: {reason}")
    command = walls.command

    def killed_at_first(*args, **options):
        # What it held may say something of it yet.
        shell = 'test "$(wc -l < "$0")" -ge "$1" && shift && exec "$@"; '
        shell += 'echo >> "$0"; echo "Error: no more" >&2; kill -9 $$'
        count = tmp_path / "deaths"
        count.touch()
        return ["/bin/sh", "-c", shell, str(count), str(deaths), *command(*args, **options)]

    monkeypatch.setattr(walls, "command", killed_at_first)
    said = walls.why_not.__wrapped__("sandlock")
    assert said is None if stands else "it ended with status -9" in said, said


NOBODY = """
import os, pwd

def nobody(user):
    raise KeyError(user)

pwd.getpwuid = nobody
import autograder
from pathlib import Path
print(Path.home())
"""


def test_who_has_neither_a_home_nor_an_account_has_a_folder_that_can_be_asked_for():
    command = [sys.executable, "-c", NOBODY]
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "/nonexistent\n", done.stderr
    with Folder() as folder:
        walls.copy_worker(folder)
        for wall in ("sandlock", "plain"):
            if walls.why_not(wall) is None:  # whose programs would ask, too
                assert f"HOME={folder}/scratch" in walls.command(wall, folder, 1)
