import json
import socket
import struct
import threading
import time

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.sandbox import values, wire

LIMIT = 1 << 20
DTYPES = [torch.float32, torch.float64, torch.bool, torch.int64]


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def soon():
    return time.monotonic() + 2


def there_and_back(value):
    packer = values.Packer(LIMIT)
    part = packer.pack(value)
    frame = wire.encode({"value": part}, packer.tensors)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=wire.send, args=(ours, frame))
        sender.start()
        header, tensors = wire.Incoming(theirs).receive(LIMIT, soon())
        sender.join()
    return values.unpack(header["value"], tensors)


@given(
    st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from(DTYPES),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_tensors_arrive_as_they_were(shape, dtype, grad, random):
    order = list(range(len(shape)))
    random.shuffle(order)
    made = torch.rand([shape[axis] for axis in order], dtype=torch.float64).mul(9).to(dtype)
    value = made.permute(sorted(range(len(shape)), key=order.__getitem__))
    value.requires_grad_(grad and dtype.is_floating_point)
    got = there_and_back(value)
    assert got.shape == value.shape
    assert got.dtype == value.dtype
    assert got.requires_grad == value.requires_grad
    assert torch.equal(got, value)
    if value.numel() > 1:
        assert got.is_contiguous() == value.is_contiguous()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
        max_leaves=8,
    )
)
def test_plain_values_arrive_as_they_were(value):
    assert there_and_back(value) == value


def test_floats_that_json_does_not_know():
    assert there_and_back(float("inf")) == float("inf")
    assert there_and_back(float("nan")) != there_and_back(float("nan"))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (torch.eye(3).to_sparse(), "sparse"),
        (torch.zeros(2, dtype=torch.complex64), "complex64"),
        (torch.zeros(1).expand(1 << 40), "too large"),
        (object(), "builtins.object"),
        (lambda: 0, "function"),
        (1 << 70, "int"),
        (range(3), "range"),
        (list(range(10_000)), "list"),
    ],
)
def test_what_cannot_travel_is_described(value, words):
    got = there_and_back(value)
    assert isinstance(got, values.Odd)
    assert words in str(got)


def test_a_subclass_is_no_tensor():
    class Mine(torch.Tensor):
        pass

    assert isinstance(there_and_back(torch.zeros(2).as_subclass(Mine)), values.Odd)


def test_a_list_that_holds_itself_ends():
    value = []
    value.append(value)
    there_and_back(value)


def test_a_meta_tensor_stays_one():
    got = there_and_back(torch.empty(10**6, 10**6, device="meta"))
    assert got.device.type == "meta"
    assert got.shape == (10**6, 10**6)


def header(text):
    return struct.pack("<IQ", len(text), 0) + text


def tensors(about):
    """A frame with one tensor that is said to be this, of 16 bytes."""
    head = b'{"tensors": {"0": %s}}' % about.encode()
    return struct.pack("<IQ", len(head), 16) + head + bytes(16)


def test_a_frame_of_tensors_of_these_bytes_can_be_read(pair):
    pair[0].send(tensors('["float64", [1, 2]]') + header(b"{}"))
    incoming = wire.Incoming(pair[1])
    header_, found = incoming.receive(LIMIT, soon())
    assert header_ == {}
    assert torch.equal(found["0"], torch.zeros(1, 2, dtype=torch.float64))
    assert incoming.receive(LIMIT, soon()) == ({}, {})


def test_tensors_of_every_kind_lie_side_by_side():
    value = tuple(
        torch.ones(shape).to(dtype)
        for dtype in wire.DTYPES.values()
        for shape in ((3,), (), (0, 2))
    )
    got = there_and_back(value)
    assert all(torch.equal(one, other) for one, other in zip(got, value, strict=True))
    assert [each.dtype for each in got] == [each.dtype for each in value]


@pytest.mark.parametrize(
    "frame",
    [
        struct.pack("<IQ", 1 << 31, 0),
        struct.pack("<IQ", 2, 1 << 60) + b"{}",
        header(b"not json"),
        header(b"[]"),
        header(b"[" * 100_000),
        header(b"\xff\xfe"),
        header(b'{"tensors": 1}'),
        header(b'{"tensors": [1]}'),
        header(b'{"tensors": {"0": ["float64", [1]]}}'),
        *(
            tensors(about)
            for about in (
                *(
                    '["float64", [1]]',
                    '"float64"',
                    "[]",
                    '["float64"]',
                    '["complex64", [1]]',
                    '[["float64"], [1]]',
                ),
                *('["float64", [3]]', '["float64", [-1, -2]]', '["float64", [true]]'),
                *('["float64", [1.0]]', '["float64", 1]', '["float64", ["1"]]', "[null, [1]]"),
                *('["float64", [1e400]]', f'["float64", {[1 << 40] * 2}]'),
                *(f'["float64", [{"9" * 5_000}]]', f'["float64", {[1] * 65}]'),
            )
        ),
    ],
)
def test_a_malformed_frame_is_a_wire_error(pair, frame):
    sender = threading.Thread(target=wire.send, args=(pair[0], frame))
    sender.start()
    with pytest.raises(wire.WireError):
        wire.Incoming(pair[1]).receive(LIMIT, soon())
    sender.join()


KEYS = st.sampled_from(["tensor", "order", "grad", "meta", "dtype", "tuple", "list", "dict"]) | (
    st.sampled_from(["plain", "float", "odd", "0"])
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, JSON, min_size=1, max_size=4))
def test_unpacking_nonsense_never_does_more_than_refuse(part):
    try:
        value = values.unpack(part, {"0": torch.zeros(2, 3)})
    except wire.WireError:
        return
    json.dumps(repr(value))


def test_a_value_has_a_thousand_parts_in_all():
    assert there_and_back([[1] * 300] * 3) == [[1] * 300] * 3
    many = there_and_back([[1] * 300, [2] * 300, [3] * 300, [4] * 300, 5])
    assert many[2] == [3] * 300
    assert isinstance(many[3], values.Odd)
    assert many[4] == 5
    with pytest.raises(wire.WireError, match="too many parts"):
        values.unpack({"list": [{"list": [{"plain": 1}] * 300}] * 4}, {})


def test_half_a_frame_is_too_slow_and_then_closed(pair):
    pair[0].send(struct.pack("<IQ", 10, 0) + b"{")
    with pytest.raises(wire.TooSlow):
        wire.Incoming(pair[1]).receive(LIMIT, time.monotonic() + 0.05)
    pair[0].close()
    with pytest.raises(wire.Closed):
        wire.Incoming(pair[1]).receive(LIMIT, soon())


def test_nobody_reads(pair):
    with pytest.raises(wire.TooSlow):
        wire.send(pair[0], b"x" * (1 << 24), time.monotonic() + 0.05)


@pytest.mark.parametrize("value", [1.5, float("-inf"), numpy.float64(0.1)])
def test_a_number_of_any_kind_of_float_arrives_as_a_float(value):
    found = there_and_back(value)
    assert type(found) is float
    assert found == value
