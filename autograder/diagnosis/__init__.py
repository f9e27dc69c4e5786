"""Which mistakes explain the answers of a submission; and what is known where none does."""

from autograder.diagnosis.accepted import Accepted
from autograder.diagnosis.alone import Alone, can_be_run
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.comparing import apart, same
from autograder.diagnosis.components import FAULTS, SHOWS, Component, of_name, read_components
from autograder.diagnosis.crowded import explain_crowded
from autograder.diagnosis.evidence import Case, ask, cannot_be_loaded, cases_of, told_by
from autograder.diagnosis.explained import Diagnosis, all_of, settled
from autograder.diagnosis.fault import BadFault, Fault, Faults, combine, named
from autograder.diagnosis.fitted import diagnose_fitted
from autograder.diagnosis.search import diagnose
from autograder.diagnosis.symptoms import (
    Inquiry,
    Symptoms,
    known,
    ladder,
    read_symptoms,
)
from autograder.diagnosis.threads import one_thread

__all__ = [
    "FAULTS",
    "SHOWS",
    "Accepted",
    "Alone",
    "BadFault",
    "Bank",
    "Case",
    "Component",
    "Diagnosis",
    "Fault",
    "Faults",
    "Inquiry",
    "Symptoms",
    "all_of",
    "apart",
    "ask",
    "can_be_run",
    "cannot_be_loaded",
    "cases_of",
    "combine",
    "diagnose",
    "diagnose_fitted",
    "explain_crowded",
    "known",
    "ladder",
    "named",
    "of_name",
    "one_thread",
    "read_components",
    "read_symptoms",
    "same",
    "settled",
    "told_by",
]
