"""Where a mistake stands: small edits of a submission's own code, tried until one is right."""

from autograder.repair.rules import alternatives, places

__all__ = ["alternatives", "places"]
