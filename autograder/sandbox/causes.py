"""Why walls do not stand on this machine, in words that say what to do about it."""

import errno
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

_SWITCHES = {  # of user namespaces: the value that forbids them, and what allows them
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=10000"),
    "/proc/sys/kernel/unprivileged_userns_clone": (
        "0",
        "sysctl -w kernel.unprivileged_userns_clone=1",
    ),
}
_SETFCAP = 31
_APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"


def told(wall: str, said: str) -> str:
    """The cause, where one is known, and what the wall said when it was tried."""
    cause = _cause(wall)
    return f"{cause or 'it does not stand here'}; it said: {said}"


def _cause(wall: str) -> str | None:
    if wall == "plain" or (wall == "sandlock" and os.geteuid() and not _filtered()):
        return None  # it needs no user namespace
    for switch, (value, remedy) in _SWITCHES.items():
        if _read(switch) == value:
            return f"user namespaces are switched off ({switch} is {value}): {remedy}"
    if os.geteuid() == 0 and not _may(_SETFCAP):
        return (
            "root lacks the capability that it needs to be root in a user namespace (docker run "
            "--cap-add SETFCAP), or grade as an ordinary user"
        )
    if _filtered():
        return (
            "a container's call filter is in force, and Docker's default one forbids what this "
            "needs (docker run --security-opt seccomp=unconfined)"
        )
    if _read(_APPARMOR) == "1" and os.geteuid():
        return (
            "AppArmor allows user namespaces to programs with a profile only: install "
            "apparmor-profiles, copy /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to "
            "/etc/apparmor.d/ and reload apparmor"
        )
    return None


def without_landlock(error: OSError) -> str:
    """Why the kernel did not tell Landlock's version."""
    return {
        errno.ENOSYS: "the kernel has no Landlock: it needs Linux 5.13 or later, built with it",
        errno.EOPNOTSUPP: "Landlock is switched off: add landlock to lsm= on the kernel's command "
        "line",
        errno.EPERM: "the container's call filter forbids Landlock; Docker's own allows it from "
        "version 23 on",
    }.get(error.errno or 0, str(error))


def closed_to_others(paths: Iterable[str | Path]) -> str | None:
    """Which folder or file keeps a user of its own, which root becomes, from reading a path."""
    if os.geteuid():
        return None
    for path in paths:
        real = Path(path).resolve()
        for each in (real, *real.parents):
            folder = each.is_dir()
            if not each.stat().st_mode & (stat.S_IXOTH if folder else stat.S_IROTH):
                return (
                    f"started as root it becomes a user of its own, who cannot read {path}, since "
                    f"{each} is closed to others: chmod o+{'x' if folder else 'r'} {each}, "
                    "install Python elsewhere, or grade as an ordinary user"
                )
    return None


def _may(capability: int) -> bool:
    """Whether this process has a capability, by its number."""
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", _read("/proc/self/status") or "", re.MULTILINE)
    return found is None or bool(int(found[1], 16) >> capability & 1)


def _filtered() -> bool:
    """Whether this process is under a call filter of somebody else's."""
    status = _read("/proc/self/status") or ""
    return "\nSeccomp:\t2" in status


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
