"""What each system's download looks like, and who handed in what in it.

nbgrader's exchange (nbgrader/exchange/default/submit.py), Canvas's "Download Submissions"
(lib/content_zipper.rb of instructure/canvas-lms), Moodle's "Download all submissions"
(mod/assign/classes/downloader.php of moodle/moodle), Gradescope's "Export Submissions"
(submission_metadata.yml beside a folder for each), the folders of `gh classroom clone
student-repos`, and a folder of files or folders with the students' names.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

import yaml
from nbgrader.utils import parse_utc

from autograder.collect.entries import CollectError, Entry, Refused
from autograder.collect.git import committed_at
from autograder.collect.people import Claim

__all__ = ["SYSTEMS", "HandIn", "hand_ins"]

SYSTEMS = ("nbgrader", "canvas", "moodle", "gradescope", "github", "folder")
_METADATA = "submission_metadata.yml"
_MAX_UNWRAPPED = 3
_DAY = r"\d{4}-\d\d-\d\d"
# What stands at the top, in systems that say all in a name.
_NAMES = {
    "nbgrader": re.compile(
        rf"(?P<who>.+)\+(?P<assignment>[^+]+)\+(?P<at>{_DAY}[^+]*)(\+[^+]*)?", re.DOTALL
    ),
    "canvas": re.compile(
        r"(?:(?P<name>.+?)_)?(?P<late>LATE_)?(?P<number>\d+|anon_[^\W_]+)_"
        r"(?:(?P<upload>\d+)_(?P<file>.+)|(?P<typed>(text|link)\.html))",
        re.DOTALL,
    ),
    "moodle": re.compile(
        r"(?P<name>.*)_(?P<number>\d+)_assignsubmission_[a-z]+(_(?P<file>.*))?", re.DOTALL
    ),
}


@dataclass(frozen=True)
class HandIn:
    """What somebody handed in at once: files by the paths that they had with the student.

    at: when, in UTC; None where the system does not say. late: it says so itself.
    """

    claim: Claim
    files: tuple[tuple[tuple[str, ...], Entry], ...]
    at: datetime | None = None
    late: bool = False


def hand_ins(
    entries: Sequence[Entry], system: str | None, assignment_id: str, source: Path
) -> tuple[str, list[HandIn], list[Entry]]:
    """The system, what was handed in for this assignment, and the entries that fit no system.

    system: one of SYSTEMS; None to go by what is there. Raises CollectError.
    """
    found, entries, root = _recognized(entries, system, assignment_id, source)
    strays: list[Entry] = []
    files: dict[HandIn, list[tuple[tuple[str, ...], Entry]]] = {}
    for whose, path, entry in _claimed(found, entries, assignment_id, root):
        for each in whose:
            files.setdefault(each, []).append((path, entry))
        if not whose:
            strays.append(entry)
    return found, [replace(each, files=tuple(files[each])) for each in files], strays


def _claimed(
    system: str, entries: Sequence[Entry], assignment_id: str, root: Path
) -> Iterator[tuple[Sequence[HandIn], tuple[str, ...], Entry]]:
    """For each entry of this assignment whose it is, and its path with them."""
    if system in _NAMES:
        for entry in entries:
            match = _NAMES[system].fullmatch(entry.path[0])
            if not match:
                yield (), (), entry
            elif system != "nbgrader":
                yield (_of_name(system, match),), (*_file_of(match), *entry.path[1:]), entry
            elif match["assignment"] == assignment_id:
                yield (_of_exchange(match),), entry.path[1:] or entry.path, entry
    elif system == "gradescope":
        said = _metadata(entries)
        for entry in entries:
            if entry.path != (_METADATA,):
                yield said.get(entry.path[0], ()), entry.path[1:] or entry.path, entry
    elif system == "github":
        names = sorted({entry.path[0] for entry in entries if len(entry.path) > 1})
        whose = {name: _of_repository(name, names, assignment_id, root) for name in names}
        for entry in entries:
            if len(entry.path) > 1:
                yield (whose[entry.path[0]],), entry.path[1:], entry
    else:
        for path, entry in _in_folders(entries, assignment_id):
            yield (_of_file(entry, assignment_id),), path, entry


def _recognized(
    entries: Sequence[Entry], system: str | None, assignment_id: str, source: Path
) -> tuple[str, Sequence[Entry], Path]:
    """The system, its entries and the folder where it begins: some zips wrap all in a folder."""
    here, root = entries, source
    for _ in range(_MAX_UNWRAPPED):
        tops = {entry.path[0] for entry in here}
        for each in (system,) if system else SYSTEMS[:-1]:
            if _looks_like(each, tops, here, assignment_id, root):
                return each, here, root
        if not (inner := tops & {"inbound"} or (tops if len(tops) == 1 else set())):
            break
        (name,) = inner
        here = [
            replace(entry, path=entry.path[1:])
            for entry in here
            if entry.path[0] == name and len(entry.path) > 1
        ]
        root /= name
    if system in (None, "folder"):
        return "folder", entries, source
    if system == "github" and all(len(entry.path) > 1 for entry in entries):
        return system, entries, source
    raise CollectError(
        f"nothing in {source} has a name as in a download of {system}; without --as it is taken "
        "for what it looks like"
    )


def _looks_like(
    system: str, tops: set[str], entries: Sequence[Entry], assignment_id: str, root: Path
) -> bool:
    if system in _NAMES:
        fitting = sum(_NAMES[system].fullmatch(each) is not None for each in tops)
        return bool(tops) and 2 * fitting >= len(tops)
    if system == "gradescope":
        return any(entry.path == (_METADATA,) for entry in entries)
    if system == "github":
        folders = {entry.path[0] for entry in entries if len(entry.path) > 1}
        slug = _slug(assignment_id)
        if {f"{each.removesuffix('-submissions')}-submissions" for each in tops} == tops:
            return False  # the folder that holds them all
        return bool(folders) and (
            all(each.casefold().startswith(f"{slug}-") for each in folders)
            or (root.is_dir() and any((root / each / ".git").exists() for each in folders))
        )
    return False


def _file_of(match: re.Match[str]) -> tuple[str, ...]:
    said = match.groupdict()
    name = said["file"] or said.get("typed")
    return (name,) if name else ()


def _of_name(system: str, match: re.Match[str]) -> HandIn:
    name, number = match["name"] or "", match["number"]
    # A participant of Moodle has another number in each assignment, a user of Canvas has not.
    shown = name if system == "moodle" else f"{name}_{number}".strip("_")
    late = system == "canvas" and bool(match["late"])
    return HandIn(Claim(shown, ((system, number), ("name", name))), (), late=late)


def _of_exchange(match: re.Match[str]) -> HandIn:
    who = match["who"]
    try:
        at = parse_utc(match["at"]).replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        at = None
    return HandIn(Claim(who, (("id", who), ("login", who), ("email", who))), (), at)


def _metadata(entries: Sequence[Entry]) -> dict[str, list[HandIn]]:
    """What Gradescope says of each folder: who handed it in, a group has several, and when."""
    (entry,) = (entry for entry in entries if entry.path == (_METADATA,))
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        data = yaml.load(entry.read(), Loader=loader)
        return {str(folder): [*_submitters(about)] for folder, about in data.items()}
    except (Refused, yaml.YAMLError, ValueError, AttributeError, TypeError, KeyError) as error:
        raise CollectError(f"{_METADATA} cannot be read: {error}") from error


def _submitters(about: dict[str, object]) -> Iterator[HandIn]:
    at = about.get(":created_at")
    if isinstance(at, str):
        at = _time(at.strip())
    if isinstance(at, datetime):
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    people = about[":submitters"]
    for person in people if isinstance(people, list) else ():
        name, sid, email = (str(person.get(f":{key}") or "") for key in ("name", "sid", "email"))
        keys = ("gradescope", sid), ("sis", sid), ("id", sid), ("email", email), ("name", name)
        claim = Claim(sid or email or name, keys)
        yield HandIn(claim, (), at if isinstance(at, datetime) else None)


def _time(text: str) -> datetime:
    """As YAML has it where it is none of YAML's own: nbgrader takes +0100 for a hundred seconds."""
    fine = re.sub(r"(\.\d{6})\d*|(?: ?([+-]\d\d):?(\d\d))$", _finer, text)
    try:
        return datetime.fromisoformat(fine)
    except ValueError:
        found: datetime = parse_utc(text)
        return found


def _finer(part: re.Match[str]) -> str:
    return part[1] or f"{part[2]}:{part[3]}"


def _of_repository(name: str, names: Sequence[str], assignment_id: str, root: Path) -> HandIn:
    """The folder of a repository: what is common to all their names, and the student's."""
    slug = f"{_slug(assignment_id)}-"
    if name.casefold().startswith(slug):
        who = name[len(slug) :]
    else:
        words = [each.split("-")[:-1] for each in names] if len(names) > 1 else []
        shared = [*takewhile(lambda each: len({*each}) == 1, zip(*words, strict=False))]
        who = "-".join(name.split("-")[len(shared) :])
    keys = tuple((what, who) for what in ("github", "login", "id"))
    at = committed_at(root / name) if root.is_dir() else None
    return HandIn(Claim(who, keys), (), at)


def _slug(assignment_id: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", assignment_id.casefold())


def _in_folders(
    entries: Sequence[Entry], assignment_id: str
) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Files and folders with the names of students; STUDENT/ASSIGNMENT/ is one of them, too."""
    layered = {entry.path[0] for entry in entries if entry.path[1:2] == (assignment_id,)}
    for entry in entries:
        if entry.path[0] not in layered:
            yield entry.path[1:] or (_their_name(entry.path[0], assignment_id),), entry
        elif entry.path[1] == assignment_id:
            yield entry.path[2:] or entry.path[1:], entry


def _their_name(file: str, assignment_id: str) -> str:
    """The name of a file that bears its student's."""
    return f"{assignment_id}.ipynb" if file.endswith(".ipynb") else file


def _of_file(entry: Entry, assignment_id: str) -> HandIn:
    who = entry.path[0] if len(entry.path) > 1 else entry.path[0].rpartition(".")[0]
    named = rf"[\s_-]*{re.escape(assignment_id)}[\s_-]*"
    who = re.sub(named, "", who) or who
    kinds = "id", "login", "email", "sis", "github", "name"
    return HandIn(Claim(who, tuple((kind, who) for kind in kinds)), ())
