"""What students download: a zip for each assignment, one of all, checksums and a manifest.

The same release gives the same bytes on any machine: names are sorted, times are none, and nothing
is compressed, which every library does in its own way.
"""

import hashlib
import json
from collections.abc import Mapping

from autograder.bundle.names import troubles
from autograder.bundle.words import texts_of_items
from autograder.course import Assignment, Course, print_of
from autograder.export import packed
from autograder.release import for_course

__all__ = ["BundleError", "bundles"]

_COURSE = "course"


class BundleError(Exception):
    """What would be in a zip does not do everywhere; says what, a line each."""


def bundles(course: Course, releases: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes]:
    """The files by name; `releases`: those of each assignment, by path.

    Raises BundleError for a name that Windows or macOS cannot have.
    """
    whole = {f"{id}/{path}": data for id, files in releases.items() for path, data in files.items()}
    whole = for_course(course, whole) | whole
    if said := troubles(whole):
        raise BundleError("\n".join(said))
    made = {f"{id}.zip": _zip(id, files) for id, files in releases.items()}
    if _COURSE in releases:
        raise BundleError(f"an assignment is called {_COURSE}, as the zip of all is: rename it")
    made[f"{_COURSE}.zip"] = _zip(_COURSE, whole)
    made["manifest.json"] = _manifest(course, releases, made)
    sums = (f"{_sha256(data)}  {name}\n" for name, data in sorted(made.items()))
    return made | {"SHA256SUMS": "".join(sums).encode()}


def _zip(folder: str, files: Mapping[str, bytes]) -> bytes:
    return packed({f"{folder}/{path}": files[path] for path in sorted(files)}, stored=True)


def _manifest(
    course: Course, releases: Mapping[str, Mapping[str, bytes]], zips: Mapping[str, bytes]
) -> bytes:
    """What is in the zips: a hash of each file, and of each item as students have it."""
    about = {
        "course": course.name,
        "assignments": {
            id: {
                "title": course.assignment(id).title,
                "files": {path: _sha256(files[path]) for path in sorted(files)},
                "items": _items(course.assignment(id), files),
            }
            for id, files in releases.items()
        },
        "zips": {name: _sha256(data) for name, data in zips.items()},
    }
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()


def _items(assignment: Assignment, files: Mapping[str, bytes]) -> dict[str, str]:
    """Of each item: its entry in course.yml, the text before it, its public cases."""
    cases = json.loads(files["checks/cases.json"])["items"]
    texts = texts_of_items(json.loads(files[f"{assignment.id}.ipynb"]))
    parts = (*assignment.items, *assignment.manual)
    return {
        each.id: print_of(
            [
                each.model_dump_json(),
                json.dumps(cases.get(each.id), sort_keys=True),
                texts.get(each.id, ""),
            ]
        )
        for each in parts
    }


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
