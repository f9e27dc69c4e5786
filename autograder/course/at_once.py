"""What a student sees of a hand-in that is graded at once, before grades are published."""

from typing import Literal

from pydantic import Field

from autograder.course.entry import Entry

__all__ = ["AtOnce"]


class AtOnce(Entry):
    """Where a system such as Gradescope grades each hand-in as it comes.

    hidden_items: when the scores of items whose visibility is hidden are shown. full_a_day: of how
    many hand-ins in 24 hours all is told; of more, the verdicts.
    """

    hidden_items: Literal["visible", "after_due_date", "after_published"] = Field(
        default="after_published", description="visible, after_due_date or after_published"
    )
    full_a_day: int = Field(default=5, ge=1, description="a whole number")
