"""The weights that a student hands in: a file that is read, and never run.

A safetensors file is a header of names, types and shapes, and numbers. This one must have exactly
those of the reference: a stranger's file is told apart before any of its numbers is looked at.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import torch

from autograder.asking import StudentError
from autograder.course import Verdict

_SPARE_BYTES = 1 << 16  # for the header
_TOLD = 3
_DTYPES = {torch.float32: "F32", torch.float64: "F64"}


def read_weights(
    folder: Path, name: str, expected: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The tensors of the file `name` in a submission's folder: named and shaped as `expected`.

    Raises StudentError: `missing` when there is no such file, `error` when it cannot be read,
    `wrong` when it holds something else than weights of this model.
    """
    at_most = sum(each.numel() * each.element_size() for each in expected.values()) + _SPARE_BYTES
    data = _read_bounded(folder / name, at_most)
    try:
        found = dict(safetensors.deserialize(data))  # type: ignore[no-untyped-call]
    except Exception as error:  # whatever the reader makes of a file that is none
        message = f"{name} is no safetensors file, or not a whole one ({_short(error)})"
        message += ": write it with save_file."
        raise StudentError(Verdict.ERROR, message) from error
    problem = _differs(found, expected)
    if problem:
        question = "Is it the file of this notebook, of a model of the given sizes?"
        raise StudentError(Verdict.WRONG, f"{name} {problem}. {question}")
    weights = {
        key: torch.frombuffer(found[key]["data"], dtype=each.dtype).reshape(each.shape)
        for key, each in expected.items()
    }
    for key, each in weights.items():
        if not each.isfinite().all():
            message = f"{name}: {key} has NaN or infinite values: did the loss become NaN?"
            raise StudentError(Verdict.WRONG, message)
    return weights


def _read_bounded(path: Path, at_most: int) -> bytes:
    """The bytes of a regular file; no link is followed, and nothing is waited for."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        message = f"There is no {path.name} beside the notebook: hand it in together with it."
        raise StudentError(Verdict.MISSING, message) from None
    except OSError as error:
        message = f"{path.name} cannot be read, or is a link: {error.strerror}."
        raise StudentError(Verdict.ERROR, message) from error
    try:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode):
            raise StudentError(Verdict.ERROR, f"{path.name} is not a regular file.")
        if info.st_size > at_most:
            told = f"{path.name} has {info.st_size:,} bytes; this model's has at most {at_most:,}."
            raise StudentError(Verdict.WRONG, told)
        with open(file, "rb", closefd=False) as opened:
            return opened.read(at_most)
    finally:
        os.close(file)


def _differs(found: Mapping[str, Any], expected: Mapping[str, torch.Tensor]) -> str | None:
    for what, names in (
        ("lacks", expected.keys() - found.keys()),
        ("has the unknown", found.keys() - expected.keys()),
    ):
        if names:
            told = ", ".join(_short(name) for name in sorted(names)[:_TOLD])
            return f"{what} {told}" + (f" and {len(names) - _TOLD} more" * (len(names) > _TOLD))
    for name, each in expected.items():
        shape, dtype = found[name]["shape"], found[name]["dtype"]
        if list(shape) != list(each.shape):
            return f"has {name} of shape {_short(tuple(shape))}, not {tuple(each.shape)}"
        if dtype != _DTYPES[each.dtype]:
            return f"has {name} of type {_short(dtype)}, not {_DTYPES[each.dtype]}"
    return None


def _short(what: object) -> str:
    text = str(what)
    text = text if len(text) <= 100 else f"{text[:97]}..."
    return text.encode(errors="replace").decode()
