"""One version of a course, read from git or from what was bundled; no code of it is run.

Both sides of a comparison are read as they lie there, not by the rules of today: an older
course.yml, or older checks, may be none that this engine would take.
"""

import io
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from autograder.bundle.words import texts_of_items
from autograder.course import MANIFEST, SOLUTIONS

_MANIFEST = "manifest.json"
_ASSIGNMENTS = "assignments"
# Rooms of the engine that no score goes through.
_NO_SCORE = frozenset(
    {"bundle", "cli", "collect", "export", "handout", "proof", "release", "similar", "template"}
)


class NoVersion(Exception):
    """What was named is no version of a course; says what and why."""


@dataclass(frozen=True)
class Version:
    """What students have of a course, and, from git alone, what grades them.

    released: the files of each assignment, by path; course: course.yml as it is read, and private:
    the files of solutions/ and of the engine, both None where only a bundle is there.
    """

    name: str
    released: Mapping[str, Mapping[str, bytes]]
    course: Mapping[str, Any] | None = None
    private: Mapping[str, bytes] | None = None

    def entry(self, assignment: str) -> Mapping[str, Any]:
        """The assignment's entry in course.yml; of a bundle, what its cases say of it."""
        if self.course is not None:
            return _mapping(_mapping(self.course.get("assignments")).get(assignment))
        about = self.cases(assignment)
        kept = ("title", "points", "tolerance")
        items = {
            name: {key: each[key] for key in kept if key in each}
            for name, each in about.get("items", {}).items()
        }
        return {"items": items}

    def cases(self, assignment: str) -> Mapping[str, Any]:
        """What `checks/cases.json` holds: the public checks, as data."""
        try:
            return _mapping(json.loads(self.released[assignment]["checks/cases.json"]))
        except (KeyError, ValueError):
            return {}

    def words(self, assignment: str) -> Mapping[str, str]:
        """What a student reads for each item, and under "" what stands behind the last one."""
        try:
            return texts_of_items(json.loads(self.released[assignment][f"{assignment}.ipynb"]))
        except (KeyError, ValueError):
            return {}


def read_version(root: Path, name: str) -> Version:
    """The version called so: a folder that `autograder bundle` wrote, or a commit or tag of git.

    root: the course's folder, in whose repository commits are looked for. Raises NoVersion.
    """
    folder = Path(name)
    if (folder / _MANIFEST).is_file():
        return Version(name, dict(_bundled(folder)))
    if folder.is_dir():
        raise NoVersion(
            f"{name} has no {_MANIFEST}: is it a folder that `autograder bundle` wrote?"
        )
    files = dict(_committed(root, name))
    if MANIFEST not in files:
        raise NoVersion(f"{name}: there is no {MANIFEST} in that commit, where {root} is now")
    try:
        course = yaml.safe_load(files[MANIFEST])
    except yaml.YAMLError as error:
        raise NoVersion(f"{name}: {MANIFEST} cannot be read: {error}") from error
    released: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        top, _, below = path.partition("/")
        assignment, _, rest = below.partition("/")
        if top == _ASSIGNMENTS and rest:
            released.setdefault(assignment, {})[rest] = data
    return Version(name, released, _mapping(course), dict(_private(files)))


def uncommitted(root: Path) -> list[str]:
    """The files of the course in this folder that no commit has as they are. Raises NoVersion."""
    asked = "status", "--porcelain", "--no-renames", "-z", "--", MANIFEST, SOLUTIONS, _ASSIGNMENTS
    said = _git(root, str(root), *asked)
    return [each[3:] for each in said.decode(errors="replace").split("\0") if each]


def _private(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for path, data in files.items():
        top, _, below = path.partition("/")
        graded = top == SOLUTIONS or (
            top == "autograder"
            and path.endswith(".py")
            and below.partition("/")[0] not in _NO_SCORE
        )
        if graded:
            yield path, data


def _bundled(folder: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    try:
        about = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        for assignment in about["assignments"]:
            with zipfile.ZipFile(folder / f"{assignment}.zip") as archive:
                files = {
                    each.removeprefix(f"{assignment}/"): archive.read(each)
                    for each in archive.namelist()
                }
            yield assignment, files
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise NoVersion(f"{folder} is no bundle that can be read: {error}") from error


def _committed(root: Path, name: str) -> Iterator[tuple[str, bytes]]:
    if name.startswith("-"):
        raise NoVersion(f"{name} is neither a folder nor a commit")
    below = _git(root, name, "rev-parse", "--show-prefix").decode().strip()
    commit = _git(root, name, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    top = Path(_git(root, name, "rev-parse", "--show-toplevel").decode().removesuffix("\n"))
    tree = f"{commit.decode().strip()}:{below}"
    packed = _git(top, name, "archive", "--format=tar", tree)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for each in tar:
            file = tar.extractfile(each) if each.isfile() else None
            if file is not None:
                yield each.name, file.read()


def _git(root: Path, name: str, *args: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", root, *args], capture_output=True, check=True)
    except FileNotFoundError as error:
        raise NoVersion(f"{name} is no folder, and there is no git to look for a commit") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise NoVersion(
            f"{name} is neither a bundle's folder nor a commit or tag of {root}"
            + (f": {said}" if said else "")
        ) from error
    return done.stdout


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
