"""All of it as JSON, for programs. Its schema is that of `Marks`: docs/export.schema.json."""

from autograder.export.formats.gathering import Gathered

__all__ = ["write"]


def write(gathered: Gathered) -> str:
    """The marks; no score is null, times are in UTC (ISO 8601)."""
    return gathered.marks.model_dump_json(indent=2) + "\n"
