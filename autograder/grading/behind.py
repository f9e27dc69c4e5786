"""What an item fails through by itself, where an earlier part that fails hides it.

Follow-through replaces earlier parts that fail; an item that fails then, too, has a mistake of its
own. The answers with the parts replaced tell which: there it is alone.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.checking import CheckOutcome
from autograder.course import Item, ItemResult, Verdict
from autograder.diagnosis import Case
from autograder.grading.judge import judge, parts_replaced
from autograder.notebooks import Submission
from autograder.sandbox.session import Answer

TO_DIAGNOSE = (Verdict.WRONG, Verdict.ERROR)


@dataclass(frozen=True, eq=False)
class Behind:
    """A submission with earlier parts replaced, and what its checks found then.

    given: the names of these parts; answers: by place among the bank's cases.
    """

    submission: Submission
    given: tuple[str, ...]
    outcomes: tuple[CheckOutcome, ...]
    answers: Mapping[int, Answer]

    def failed(self, but: Collection[str], cases: Sequence[Case]) -> list[str]:
        """The items that fail all the same, without those that are explained already.

        Nor those in which a right part is called with arguments that only theirs takes.
        """
        names = "|".join(map(re.escape, self.given))
        refuses = re.compile(rf"({names})(\.\w+)?\(\) (got|takes|missing) ")
        raised = ((at, each.failure) for at, each in self.answers.items() if each.failure)
        unfit = {
            cases[at].item
            for at, failure in raised
            if failure.type == "TypeError" and refuses.match(failure.message)
        }
        failed = [each.item for each in self.outcomes if each.verdict in TO_DIAGNOSE]
        return [item for item in dict.fromkeys(failed) if item not in but and item not in unfit]

    def judged(self, item: Item, before: ItemResult) -> ItemResult:
        """The item as it is with the parts replaced, if that tells more than it does before."""
        found = judge(item, self.outcomes)
        if found.message == before.message or found.verdict not in TO_DIAGNOSE:
            return before
        message = f"Once {parts_replaced(self.given)}, this is left:\n{found.message}"
        return found.model_copy(update={"message": message})


def with_outcomes(
    outcomes: Sequence[CheckOutcome], views: Mapping[str, Behind]
) -> list[CheckOutcome]:
    """The outcomes, those of items that are looked at behind earlier parts as they are there."""
    found = [each for each in outcomes if each.item not in views]
    there = [
        each
        for view in dict.fromkeys(views.values())
        for each in view.outcomes
        if views.get(each.item) is view
    ]
    return found + there
