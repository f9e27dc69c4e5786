"""What is known of a mistake that no fault explains.

A course may tell properties and features in its own words, in `solutions/symptoms.py`: these are
what it makes them of.
"""

from autograder.diagnosis.symptoms import inquiry
from autograder.diagnosis.symptoms.contrasts import FEATURES, Feature
from autograder.diagnosis.symptoms.inquiry import Answered, Inquiry
from autograder.diagnosis.symptoms.known import Known, Symptoms, known, read_symptoms
from autograder.diagnosis.symptoms.ladder import ladder
from autograder.diagnosis.symptoms.probes import (
    ALONE,
    BY_ITSELF,
    GRADIENTS,
    PROPERTIES,
    Move,
    Property,
    alike,
    seen,
    stays,
)

__all__ = [
    "ALONE",
    "BY_ITSELF",
    "FEATURES",
    "GRADIENTS",
    "PROPERTIES",
    "Answered",
    "Feature",
    "Inquiry",
    "Known",
    "Move",
    "Property",
    "Symptoms",
    "alike",
    "inquiry",
    "known",
    "ladder",
    "read_symptoms",
    "seen",
    "stays",
]
