"""What students need beside the notebooks: packages, and where to get what is handed out."""

from typing import Annotated

from pydantic import Field

from autograder.course.entry import Entry, Title

__all__ = ["Handout", "Tried"]

Tried = Annotated[
    str,
    Field(
        pattern=r"^\d+(\.\d+)* to \d+(\.\d+)*$",
        description="the lowest and the highest release that were tried, such as 2.2 to 2.14",
    ),
]
_PACKAGES = {"torch": "2.2 to 2.14", "numpy": "1.26 to 2.4", "matplotlib": "3.8 to 3.10"}


class Handout(Entry):
    """Where students find what is handed out, and what they install.

    download: completes "from". cpu_torch: the address that torch's own selector shows for its
    builds without CUDA, for whoever may write it down.
    """

    download: Title = "where you got this notebook"
    python: Tried = "3.10 to 3.13"
    packages: dict[str, Tried] = Field(
        default=_PACKAGES | {"jupyterlab": "4.2 to 4.5"},
        min_length=1,
        description="a mapping of packages to releases such as torch: 2.2 to 2.14",
    )
    cpu_torch: Title | None = None
