"""Our verdicts in a notebook: each item's under its cell, the mistakes at the top.

And under what people grade, its rubric, for whoever grades to pick from (rubric.html.jinja).
"""

from collections.abc import Sequence

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader import utils

from autograder.course import Assignment, ByHand, ItemResult, Result
from autograder.export.cards import Card, as_text, cards_of, evidence, line, told_in

__all__ = ["unanswered", "write_verdicts"]


def write_verdicts(notebook: NotebookNode, result: Result, assignment: Assignment) -> None:
    """Write a result, which has a score, into the notebook that it is of."""
    result = result.told(assignment.feedback)
    cards = cards_of(result, assignment.feedback)
    told = told_in(cards)
    items = {item.item: item for item in result.items}
    for cell in notebook.cells:
        if utils.is_grade(cell) and not utils.is_solution(cell):
            item = items[cell.metadata.nbgrader.grade_id]
            cell.outputs = _outputs(item, told.get(item.item, []))
    for part in filter(lambda part: part.rubric, assignment.manual):
        ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
        notebook.cells.insert(ids.index(part.id) + 1, _rubric(part))
    mistakes = [as_text(each, result.max_score) for each in cards]
    for title, said in (("Notes", list(result.notes)), ("Mistakes", mistakes)):
        if said:
            text = new_output("stream", name="stdout", text="\n\n".join(said) + "\n")
            notebook.cells.insert(0, new_code_cell(f"# {title}", id=title.lower(), outputs=[text]))


def unanswered(notebook: NotebookNode) -> frozenset[str]:
    """The cells to be answered that are as they were handed out, by nbgrader's own checksum."""
    return frozenset(
        cell.metadata.nbgrader.grade_id
        for cell in filter(utils.is_solution, notebook.cells)
        if cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
    )


def _rubric(part: ByHand) -> NotebookNode:
    """The lines as text, and beside it what the formgrader makes buttons of."""
    lines = [{"said": line.said, "points": line.points} for line in part.rubric]
    text = "\n".join(["Rubric:", "", *(f"- {line.said}" for line in part.rubric)])
    about = {"autograder": {"rubric": {"of": part.id, "most": part.points, "lines": lines}}}
    return new_markdown_cell(text, id=f"rubric_{part.id}", metadata=about)


def _outputs(item: ItemResult, cards: Sequence[Card]) -> list[NotebookNode]:
    """The words, then the number: nbgrader takes the first result that a cell shows as its score.

    Were there none, or none that is a number, that would be full marks. cards: the mistakes in
    it, which are told in full at the top.
    """
    assert item.score is not None
    said = [line(item, cards)]
    said += [f"Mistake {each.number}: {each.heading}" for each in cards]
    said += evidence(item, bool(cards))
    text = {"name": "stdout", "text": "\n".join(said) + "\n"}
    data = {"text/plain": repr(float(item.score))}
    score = {"data": data, "metadata": {}, "execution_count": None}
    # As nbformat's new_output makes them, which holds each against the schema of whole notebooks.
    both = (("stream", text), ("execute_result", score))
    return [from_dict({"output_type": kind, **about}) for kind, about in both]
