"""The first assignment's source and release, and notebooks made of single cells."""

from pathlib import Path

from autograder.notebooks.source import read_source

ROOT = Path(__file__).resolve().parents[1]
NAME = "a1_attention"
SOURCE = read_source(ROOT / "solutions" / NAME / f"{NAME}.py")
RELEASED = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_text()
GIVEN = [cell.name for cell in SOURCE.cells if cell.role == "given"]
SOLUTIONS = [cell.name for cell in SOURCE.cells if cell.role == "solution"]
IN_ORDER = [cell.name for cell in SOURCE.cells if cell.role in ("given", "solution")]


def code(source, grade_id=None):
    metadata = {"nbgrader": {"grade_id": grade_id}} if grade_id else {}
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}


def notebook(*cells, **other):
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)} | other


def added(submission):
    return [cell.source for cell in submission.cells if cell.name.endswith(" (added)")]


def sources(submission):
    return {cell.name: cell.source for cell in submission.cells}
