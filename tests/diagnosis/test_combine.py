"""Which mistakes one submission may have together: those on steps of their own."""

from pathlib import Path

import pytest

from autograder.diagnosis.fault import combine, fault_of


class Area:
    """An area, step by step: `whole` is made of two others."""

    made_of = {"whole": ("wide", "high")}  # noqa: RUF012

    def wide(self):
        return 2

    def high(self):
        return 3

    def whole(self):
        return self.wide() * self.high()


class TooWide(Area):
    """It is too wide.

    How wide?
    """

    item = "area"

    def wide(self):
        return 3


class Half(Area):
    """Half of it is missing.

    What is divided?
    """

    item = "area"

    def whole(self):
        return super().whole() / 2


class Constant(Area):
    """It is a constant.

    Of what?
    """

    item = "area"

    def whole(self):
        return 6


class StillAConstant(Constant):
    def high(self):
        return 5


@pytest.fixture
def fault():
    return lambda found: fault_of(Path("area.py"), 1, ("area",), found, Area, {})


def test_each_is_on_the_steps_that_it_overrides(fault):
    assert fault(TooWide).steps == {"wide"}
    assert fault(Half).steps == {"whole"}
    assert combine([fault(TooWide), fault(Half)])
    assert not combine([fault(Half), fault(Constant)])


def test_who_takes_a_step_in_another_way_leaves_out_what_it_was_made_of(fault):
    """Beside it the other would change nothing, and be told all the same."""
    assert fault(Constant).steps == fault(StillAConstant).steps == {"whole", "wide", "high"}
    assert not combine([fault(TooWide), fault(Constant)])
