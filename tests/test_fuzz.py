"""Whatever lies in a file or a frame, reading it ends soon, with an answer or with its own error.

A few inputs each time; with FUZZ=25000 in the environment that many of each kind.
"""

import contextlib
import json
import os
import socket
import time
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save

from autograder.asking.answers import NO_ANSWER, read_answer
from autograder.asking.blame import raise_what_it_tells
from autograder.asking.student import Question, StudentError
from autograder.checking.trained import read_weights
from autograder.course import ManifestError, read_course, source_path
from autograder.notebooks import UnreadableSubmission, banned_uses, read_source, read_submission
from autograder.sandbox import wire

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 2.0  # seconds of the processor, of any
FUZZ = settings(
    max_examples=int(os.environ.get("FUZZ", "40")),
    deadline=None,
    database=None,
    suppress_health_check=[*HealthCheck],
)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
KEYS = st.sampled_from(
    [
        *("tensor", "order", "grad", "meta", "dtype", "tuple", "list", "dict", "plain", "float"),
        *("odd", "value", "gradients", "changed", "banned", "elsewhere", "read", "watched"),
        *("mode_changed", "operations", "failure", "type", "message", "cells", "metadata"),
        *("cell_type", "source", "nbgrader", "grade_id", "nbformat", "worksheets", "outputs"),
    ]
)
ANY = st.recursive(
    PLAIN | st.sampled_from(["0", "code", "float64", "Missing", "WrongParameters", 2**63, -1]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
# Cuts and insertions, at places from 0 to 1.
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=6)), min_size=1, max_size=4
)


def edited(data, edits):
    for place, cut, put in edits:
        at = int(place * len(data))
        data = data[:at] + put + data[at + cut :]
    return data


def replaced(value, data, draw):
    """Somewhere in it, something else."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 5)):
        key = data.draw(st.sampled_from(sorted(value)))
        return value | {key: replaced(value[key], data, draw)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 5)):
        at = data.draw(st.integers(0, len(value) - 1))
        return [*value[:at], replaced(value[at], data, draw), *value[at + 1 :]]
    return data.draw(draw)


@pytest.fixture(autouse=True)
def ends_soon(request):
    times = []
    yield times
    assert not times or max(times) < LONGEST


TENSORS = {"0": torch.ones(2, 3), "1": torch.zeros(0)}
GOOD = {
    **{"value": {"tuple": [{"tensor": "0", "order": [0, 1], "grad": True}, {"plain": 1}]}},
    **{"gradients": [{"tensor": "1", "order": [0], "grad": False}], "changed": [0], "banned": []},
    **{"elsewhere": [True], "read": [{"float": "1.0"}], "watched": [[1, True, False]]},
    **{"mode_changed": False, "operations": 3, "failure": None},
}
QUESTION = Question("f", (torch.ones(1), torch.ones(1)))


def frame(header, tensors):
    return wire.encode(header, tensors)


def received(data):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        return wire.Incoming(ours).receive(1 << 16, time.monotonic() + 1)


def answered(header, tensors):
    raise_what_it_tells(header, tensors, QUESTION, ["torch.sort"], [])
    return read_answer(header, tensors, QUESTION)


@FUZZ
@given(edits=EDITS)
def test_a_frame(ends_soon, edits):
    started = time.process_time()
    with contextlib.suppress(wire.WireError, wire.Closed, StudentError, *NO_ANSWER):
        answered(*received(edited(frame(GOOD, TENSORS), edits)))
    ends_soon.append(time.process_time() - started)


@FUZZ
@given(data=st.data())
def test_an_answer(ends_soon, data):
    header = replaced(GOOD, data, ANY)
    header = header if isinstance(header, dict) else {"value": header}
    started = time.process_time()
    with contextlib.suppress(wire.WireError, StudentError, *NO_ANSWER):
        answered(header, TENSORS)
    ends_soon.append(time.process_time() - started)


@pytest.fixture(scope="module")
def first():
    course = read_course(ROOT)
    id = course.assignments[0].id
    notebook = json.loads((ROOT / "assignments" / id / f"{id}.ipynb").read_text())
    return read_source(source_path(ROOT, id)), notebook


def read(path, content, source, times):
    path.write_bytes(content)
    started = time.process_time()
    with contextlib.suppress(UnreadableSubmission):
        banned_uses(read_submission(path, source).cells, ["torch.sort"])
    times.append(time.process_time() - started)


@FUZZ
@given(data=st.data())
def test_a_notebook_of_odd_parts(ends_soon, first, tmp_path_factory, data):
    source, notebook = first
    content = json.dumps(replaced(notebook, data, ANY)).encode()
    read(tmp_path_factory.getbasetemp() / "a.ipynb", content, source, ends_soon)


@FUZZ
@given(edits=EDITS, percent=st.booleans())
def test_a_notebook_of_other_bytes(ends_soon, first, tmp_path_factory, edits, percent):
    source, notebook = first
    whole = source.path.read_bytes() if percent else json.dumps(notebook).encode()
    path = tmp_path_factory.getbasetemp() / ("b.py" if percent else "b.ipynb")
    read(path, edited(whole, edits), source, ends_soon)


WEIGHTS = {"one.weight": torch.zeros(3, 4), "one.bias": torch.zeros(3)}


@FUZZ
@given(edits=EDITS)
def test_weights(ends_soon, tmp_path_factory, edits):
    folder = tmp_path_factory.getbasetemp()
    (folder / "w.safetensors").write_bytes(edited(save(WEIGHTS), edits))
    started = time.process_time()
    with contextlib.suppress(StudentError):
        assert read_weights(folder, "w.safetensors", WEIGHTS).keys() == WEIGHTS.keys()
    ends_soon.append(time.process_time() - started)


@FUZZ
@given(edits=EDITS)
def test_a_manifest(ends_soon, tmp_path_factory, edits):
    folder = tmp_path_factory.getbasetemp() / "course"
    folder.mkdir(exist_ok=True)
    (folder / "course.yml").write_bytes(edited((ROOT / "course.yml").read_bytes(), edits))
    started = time.process_time()
    with contextlib.suppress(ManifestError):
        read_course(folder)
    ends_soon.append(time.process_time() - started)
