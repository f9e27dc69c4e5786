"""Which of the files that somebody handed in is the notebook, and under which name each is kept."""

import re
from collections.abc import Sequence

from autograder.collect.entries import MAX_BYTES, Entry, Refused, shown, within
from autograder.course import Assignment

__all__ = ["under_our_names"]

_TIME = "timestamp.txt"  # the time of handing in is not a student's to say
_MAX_FILES = 1_000
_TOLD = 3
_Files = Sequence[tuple[tuple[str, ...], Entry]]


def under_our_names(files: _Files, assignment: Assignment) -> tuple[dict[str, bytes], list[str]]:
    """The files by the paths that they are kept under, and what a person should know of them."""
    files, notes = _out_of_a_zip(files)
    refused: list[str] = []
    taken: dict[tuple[str, ...], bytes] = {}
    left = MAX_BYTES
    notebook = _notebook([path for path, entry in files if not entry.refused], assignment.id)
    for path, entry in sorted(files, key=lambda each: (each[0] != notebook, each[0])):
        ours, data = _ours(path, notebook, assignment), b""
        why = entry.refused
        if not why and len(taken) == _MAX_FILES:
            why = f"is one of more than {_MAX_FILES:,} files"
        if not why and entry.size > left:
            why = f"is more than fits: all together may have {MAX_BYTES >> 20} MiB"
        beside = [*taken, (_TIME,)] if len(ours) > 1 else taken
        if not why and any(_in_the_way(ours, other) for other in beside):
            why = "has a name that another file has as its own or its folder's"
        if not why:
            left -= entry.size  # also of what turns out to be damaged
            try:
                data = entry.read()
            except Refused as error:
                why = str(error)
        if why:
            refused.append(f"not taken: {shown(path)} {why}")
        elif ours != (_TIME,):
            taken[ours] = data
    notes += refused[:_TOLD]
    if len(refused) > _TOLD:
        notes.append(f"not taken: {len(refused) - _TOLD} more")
    names = ["/".join(path) for path in taken]
    if notebook is None and f"{assignment.id}.py" not in names:
        found = [path for path in taken if path[-1].endswith(".ipynb")] or [*taken]
        told = ", ".join(map(shown, found[:_TOLD])) + (", ..." if len(found) > _TOLD else "")
        several = found[1:] and found[0][-1].endswith(".ipynb")
        which = "no notebook is told apart:" if several else "no notebook, but"
        notes.append(f"{which} {told}" if told else "no notebook")
    elif notebook and notebook[-1] != f"{assignment.id}.ipynb":
        notes.append(f"the notebook was called {shown(notebook[-1:])}")
    return {"/".join(path): data for path, data in taken.items()}, notes


def _out_of_a_zip(files: _Files) -> tuple[_Files, list[str]]:
    """The files, those of a zip in its place where the notebook is in there and nowhere else."""
    zips = [(path, entry) for path, entry in files if path[-1].casefold().endswith(".zip")]
    if len(zips) == 1 and not any(path[-1].endswith(".ipynb") for path, _ in files):
        ((path, zipped),) = zips
        inside = [(entry.path, entry) for entry in within(zipped)]
        if any(path[-1].endswith(".ipynb") for path, _ in inside):
            rest = [each for each in files if each[1] is not zipped]
            return [*rest, *inside], [f"taken out of {shown(path)}"]
    return files, []


def _notebook(paths: Sequence[tuple[str, ...]], name: str) -> tuple[str, ...] | None:
    """The notebook that is meant: of this name, of what systems make of it, or the only one."""
    found = [path for path in paths if path[-1].endswith(".ipynb")]
    again = re.compile(rf"{re.escape(name)}(\W.*)?\.ipynb", re.DOTALL)
    for meant in (
        [path for path in found if path == (f"{name}.ipynb",)],
        [path for path in found if path[-1] == f"{name}.ipynb"],
        [path for path in found if again.fullmatch(path[-1])],
        found,
    ):
        if meant:
            return meant[0] if len(meant) == 1 else None
    return None


def _ours(
    path: tuple[str, ...], notebook: tuple[str, ...] | None, assignment: Assignment
) -> tuple[str, ...]:
    """Where a file is kept: the notebook at the top, under its name, its neighbours beside it."""
    if path == notebook:
        return (f"{assignment.id}.ipynb",)
    for name in assignment.handed_in:
        stem, _, suffix = name.rpartition(".")
        if re.fullmatch(rf"{re.escape(stem)}(-\d+| ?\(\d+\))?\.{re.escape(suffix)}", path[-1]):
            return (name,)
    if notebook and path[: len(notebook) - 1] == notebook[:-1]:
        return path[len(notebook) - 1 :]
    return path


def _in_the_way(path: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shared = min(len(path), len(other))
    return path[:shared] == other[:shared]
