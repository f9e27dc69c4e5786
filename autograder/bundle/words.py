"""What a student reads for each item of a notebook."""

from typing import Any

__all__ = ["texts_of_items"]


def texts_of_items(notebook: Any) -> dict[str, str]:
    """The cells behind the last item's, up to its own, by item; under "" what follows the last."""
    texts, behind = {}, ""
    for cell in notebook["cells"]:
        behind += "".join(cell["source"]) + "\n"
        about = cell["metadata"].get("nbgrader", {})
        if about.get("grade"):
            texts[about["grade_id"]], behind = behind, ""
    return {**texts, "": behind}
