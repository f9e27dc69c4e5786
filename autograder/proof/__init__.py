"""That the grader works: samples, tolerances, promises, faults and mutants handed in."""

from autograder.proof.page import short_names, write_proof
from autograder.proof.pool import open_pool
from autograder.proof.promises import verify
from autograder.proof.proving import (
    Proof,
    prove,
    try_all_mutants,
)
from autograder.proof.samples import (
    Sample,
    read_samples,
    sample_class,
)
from autograder.proof.tolerances import (
    FACTOR,
    Margin,
    margins,
)

__all__ = [
    "FACTOR",
    "Margin",
    "Proof",
    "Sample",
    "margins",
    "open_pool",
    "prove",
    "read_samples",
    "sample_class",
    "short_names",
    "try_all_mutants",
    "verify",
    "write_proof",
]
