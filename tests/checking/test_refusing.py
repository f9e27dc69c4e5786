"""What must be refused is told from what is refused because everything is."""

import pytest

from autograder.asking import LocalStudent
from autograder.asking.student import Cell
from autograder.checking import Agree, Weights, Wrong

RIGHT = "def f(n):\n    if n % 2:\n        raise ValueError(f'{n} is odd')\n    return 2 * n"
SAID = 'def f(n):\n    raise ValueError(f"{n} is odd")'
# A mistake of another kind, which is paid for elsewhere.
OTHER = RIGHT.replace("return 2", "a, b = 1, 2, n\n    return 2")
IN_OTHER_WORDS = 'def f(n):\n    raise ValueError(f"{n} is odd" + " a" * n)'
BY_TWO_LINES = RIGHT.replace("return 2 * n", "raise ValueError(str(n) * n)")
WITHOUT_RAISE = 'def f(n):\n    return int(f"{n} is odd" + " a" * n)'


def agreeing(source):
    reference = LocalStudent([Cell("one", RIGHT)], {})
    student = LocalStudent([Cell("one", source)], {})
    weights = Weights(reference, "a secret of the test", "none")
    return Agree(student, reference, 1e-6, {"f": ["n"]}, weights)


@pytest.mark.parametrize("source", [RIGHT, OTHER], ids=["right", "other"])
def test_who_looks_is_right(source):
    agreeing(source).raises(ValueError, "f", 27, naming=(27,), unlike=(4,))


@pytest.mark.parametrize(
    "source",
    [SAID, IN_OTHER_WORDS, BY_TWO_LINES, WITHOUT_RAISE],
    ids=["said", "in other words", "by two lines", "without raise"],
)
def test_who_refuses_everything_has_not_looked(source):
    agreeing(source).raises(ValueError, "f", 27, naming=(27,))
    with pytest.raises(Wrong, match=r"f\(n 4\): the same ValueError is raised here"):
        agreeing(source).raises(ValueError, "f", 27, naming=(27,), unlike=(4,))
