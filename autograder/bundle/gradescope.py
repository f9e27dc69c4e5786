"""The zip that Gradescope makes an autograder of: its two scripts, the grader, the course.

As gradescope-autograders.readthedocs.io documents it: the zip lies unpacked in /autograder/source;
setup.sh runs once, when the image is built, run_autograder for each hand-in. It holds the answers
and the course's secret, from which the same hidden inputs are drawn as at home.
"""

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.course import MANIFEST, SOLUTIONS, Course, read_secret
from autograder.export import packed

__all__ = ["gradescope"]

_SETUP = """\
#!/bin/bash
# Gradescope runs this once, as root: Python 3.11 or later, and what the grader needs of packages.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
found() {
    for each in python3.13 python3.12 python3.11; do
        if "$each" -c "import ensurepip, venv" 2> /dev/null; then echo "$each"; return; fi
    done
    return 1
}
if ! python=$(found); then
    apt-get update
    apt-get install -y python3.12 python3.12-venv || apt-get install -y python3.11 python3.11-venv
    python=$(found)
fi
# Students' code may read all that is installed here, and nothing of /autograder/source.
umask 022
"$python" -m venv /opt/grader
pip="/opt/grader/bin/pip install --disable-pip-version-check --no-cache-dir"
$pip @TORCH@
$pip -r /autograder/source/requirements.txt
/opt/grader/bin/python -m compileall -q /autograder/source/engine
"""
_RUN = """\
#!/bin/bash
# Gradescope runs this for each hand-in. Without a results.json it says that the autograder failed.
cd /autograder
export PYTHONPATH=/autograder/source/engine PYTHONDONTWRITEBYTECODE=1
exec /opt/grader/bin/python -c "
import sys
from pathlib import Path
from autograder.bundle import hand_in
sys.exit(hand_in(Path('/autograder'), '@NAME@'))"
"""
_NOT_NEEDED = ("right", "wrong", "hostile", "figures", "__pycache__")  # of solutions/NAME/
# What torch brings for GPUs, where it does.
_FOR_GPUS = re.compile(r"nvidia|cuda|triton|torch$")
_NAME = re.compile(r"[\w.-]+")


def gradescope(course: Course, assignment_id: str) -> bytes:
    """The zip. The same course, grader and installed packages give the same bytes.

    Raises ValueError when the course has no secret that will do.
    """
    course.assignment(assignment_id)  # a wrong name first
    torch = f'"torch=={_release("torch")}"'
    if course.handout.cpu_torch:
        torch += f" --index-url {course.handout.cpu_torch}"
    installed = sorted(_closure(course), key=str.casefold)
    files: dict[str, str | bytes] = {
        "setup.sh": _SETUP.replace("@TORCH@", torch),
        "run_autograder": _RUN.replace("@NAME@", assignment_id),
        "requirements.txt": "".join(f"{each}=={_release(each)}\n" for each in installed),
        "course/.autograder_secret": read_secret(course.root) + "\n",
        f"course/{MANIFEST}": (course.root / MANIFEST).read_bytes(),
    }
    files |= dict(_under(course.root / SOLUTIONS, f"course/{SOLUTIONS}", _NOT_NEEDED))
    engine = Path(__file__).resolve().parents[1]
    files |= dict(_under(engine, "engine/autograder", ("__pycache__",)))
    about = f"Metadata-Version: 2.1\nName: autograder\nVersion: {_release('autograder')}\n"
    files[f"engine/autograder-{_release('autograder')}.dist-info/METADATA"] = about
    return packed({name: files[name] for name in sorted(files)}, stored=True)


def _under(folder: Path, name: str, without: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") or part in without for part in inside.parts)
        if path.is_file() and not hidden:
            yield f"{name}/{inside.as_posix()}", path.read_bytes()


def _closure(course: Course) -> set[str]:
    """The packages that the grader and students' notebooks need, with theirs, as installed here."""
    found: set[str] = set()
    waiting = ["autograder", *(each for each in course.handout.packages if each != "jupyterlab")]
    while waiting:
        name = waiting.pop().replace("_", "-").lower()
        if name in found or (name != "autograder" and _FOR_GPUS.match(name)):
            continue
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # of another system, or not asked for
        found.add(name)
        waiting += [
            match[0] for each in needed if "extra ==" not in each and (match := _NAME.match(each))
        ]
    return found - {"autograder"}


def _release(name: str) -> str:
    """The release that is installed here, without what tells one build from another."""
    return importlib.metadata.version(name).partition("+")[0]
