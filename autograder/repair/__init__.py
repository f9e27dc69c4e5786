"""Where a mistake stands: small edits of a submission's own code, tried until one is right."""

from autograder.repair.located import Located, joined
from autograder.repair.purse import KEPT, Purse
from autograder.repair.rules import alternatives, places
from autograder.repair.search import locate
from autograder.repair.trying import Repairs, mended
from autograder.repair.undone import Undone, undone

__all__ = [
    "KEPT",
    "Located",
    "Purse",
    "Repairs",
    "Undone",
    "alternatives",
    "joined",
    "locate",
    "mended",
    "places",
    "undone",
]
