"""Submissions made of what is handed out with other assignments: they must earn nothing."""

import ast
from collections.abc import Iterator
from copy import deepcopy

import nbformat

from autograder.course import Course, handed_out_path, source_path
from autograder.notebooks import (
    MODULE,
    given_names,
    given_source,
    parts_elsewhere,
    read_source,
)
from autograder.proof.samples import Sample, as_saved, handed_in_files


def pasted(course: Course, assignment_id: str, stub: bytes) -> Iterator[Sample]:
    """The stub with each file's parts in the cells that ask for them: whole, and only what helps.

    stub: the notebook as it is handed out. The files are the modules that are handed out with other
    assignments, of whatever date: last year's are in somebody's drawer.
    """
    source = read_source(source_path(course.root, assignment_id))
    released = nbformat.reads(stub.decode(), as_version=4)
    every = frozenset(item.id for item in course.assignment(assignment_id).items)
    handed_in = handed_in_files(course, assignment_id)
    seen: set[str] = set()
    for other in course.assignments:
        if other.id == assignment_id:
            continue
        for name, text in _modules(course, other.id):
            helpful = parts_elsewhere(source, text)
            asked = source.defined_in.keys() & helpful
            cells = {f"solution_{source.defined_in[each]}" for each in asked}
            for said in (text, _only(text, helpful)):
                if not asked or said in seen:
                    continue
                seen.add(said)
                notebook = deepcopy(released)
                for cell in notebook.cells:
                    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
                    if grade_id in cells:
                        cell.source = said
                what = f"{other.id}/{name}" if said == text else f"parts of {other.id}/{name}"
                number = f"pasted_{len(seen)}"
                saved = as_saved(notebook)
                yield Sample(number, what, "hostile", assignment_id, saved, every, files=handed_in)


def _modules(course: Course, assignment_id: str) -> Iterator[tuple[str, str]]:
    """The modules that are handed out with an assignment: their names and texts."""
    source = read_source(source_path(course.root, assignment_id))
    if names := given_names(source):
        yield f"{MODULE}.py", given_source(source, names)
    for name in course.assignment(assignment_id).files:
        if name.endswith(".py"):
            yield name, handed_out_path(course.root, assignment_id, name).read_text()


def _only(text: str, names: frozenset[str]) -> str:
    """The module with its imports and these definitions alone."""
    kept = (
        node
        for node in ast.parse(text).body
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name in names
    )
    return "\n\n".join(ast.unparse(node) for node in kept) + "\n"
