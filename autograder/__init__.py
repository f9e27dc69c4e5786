"""Builds the course's assignments and grades what students hand in."""

__version__ = "0.1.0"
