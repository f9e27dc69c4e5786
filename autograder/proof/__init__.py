"""That the grader works: samples, tolerances, promises, faults and mutants handed in."""

from autograder.proof.attacking import KINDS as ATTACK_KINDS
from autograder.proof.attacking import Found, attack_all
from autograder.proof.page import short_names, write_proof
from autograder.proof.pool import open_pool
from autograder.proof.promised import Promised, side_by_side, unkept
from autograder.proof.promises import Finding
from autograder.proof.proven import Proof, lines_told, mean_costs, problems_of, rows_told
from autograder.proof.proving import (
    locate_wrong,
    measure,
    prove,
    try_all_mutants,
)
from autograder.proof.samples import (
    Sample,
    read_samples,
    sample_class,
)
from autograder.proof.shard import ALL, Shard
from autograder.proof.shows import stale_shows, write_shows
from autograder.proof.tolerances import (
    FACTOR,
    Margin,
    margins,
)
from autograder.proof.trying import grade_samples
from autograder.proof.verifying import verify

__all__ = [
    "ALL",
    "ATTACK_KINDS",
    "FACTOR",
    "Finding",
    "Found",
    "Margin",
    "Promised",
    "Proof",
    "Sample",
    "Shard",
    "attack_all",
    "grade_samples",
    "lines_told",
    "locate_wrong",
    "margins",
    "mean_costs",
    "measure",
    "open_pool",
    "problems_of",
    "prove",
    "read_samples",
    "rows_told",
    "sample_class",
    "short_names",
    "side_by_side",
    "stale_shows",
    "try_all_mutants",
    "unkept",
    "verify",
    "write_proof",
    "write_shows",
]
