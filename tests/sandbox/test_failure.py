"""An exception in words: which of Python's own it is."""

import pytest

from autograder.sandbox.failure import describe_failure


class Odd(ValueError):
    """A student's own kind of one."""


class Own(Exception):
    """A student's own, of no kind."""


@pytest.mark.parametrize(
    ("error", "name"), [(Odd, "ValueError"), (Own, "Own"), (KeyError, "KeyError")]
)
def test_it_is_told_by_the_kind_that_python_has(error, name):
    assert describe_failure(error("5")).type == name


def test_who_takes_a_name_of_pythons_is_no_kind_of_it():
    imposter = type("ValueError", (Exception,), {})
    assert describe_failure(imposter("5")).type == "notebook.ValueError"
