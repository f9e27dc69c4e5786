"""A release is the same bytes wherever it is built: the last digits of its numbers are the old."""

import json
from pathlib import Path

import numpy as np
import pytest

from autograder.release.builder import Built, build
from autograder.release.cases import as_text

ROOT = Path(__file__).resolve().parents[2]
CASES = "checks/cases.json"
DIGITS = 3  # units in the last place that another processor may be off by
COMPUTED = {"expected", "expected_read", "gradients", "cotangents"}


def numbers(value, dtype=None, computed=False):
    """Every recorded number that was computed: what holds it, where in that, and its type."""
    if isinstance(value, dict):
        dtype = value.get("dtype", dtype)
        for key, each in value.items():
            yield from numbers(each, dtype, computed or key in COMPUTED or key == "data")
    elif isinstance(value, list):
        for at, each in enumerate(value):
            if computed and isinstance(each, float):
                yield value, at, np.float32 if dtype == "float32" else np.float64
            yield from numbers(each, dtype, computed)


def moved(cases, random):
    """The text of cases, every number some last digits off."""
    count = 0
    for where, at, kind in list(numbers(cases)):
        number = kind(where[at])
        for _ in range(DIGITS):
            number = np.nextafter(number, kind(random.choice([-1e9, 1e9])), dtype=kind)
        where[at] = float(number)
        count += 1
    return count, as_text(cases).encode()


@pytest.fixture(scope="module", params=["a1_attention", "a4_layers", "a6_translation"])
def built(request, course):
    return build(course, request.param)


@pytest.fixture
def folder(built, tmp_path):
    """The release, as another processor has written it."""
    count, text = moved(json.loads(built.files[CASES]), np.random.default_rng(1))
    assert count > 300
    assert text != built.files[CASES]
    Built(built.files | {CASES: text}).write(tmp_path / "release")
    return tmp_path / "release"


def edited(built, edit):
    cases = json.loads(built.files[CASES])
    edit(cases["items"])
    return Built(built.files | {CASES: as_text(cases).encode()})


def test_the_last_digits_of_every_number_make_no_difference(built, folder):
    before = (folder / CASES).read_bytes()
    assert built.differs_from(folder) == []
    built.write(folder)
    assert (folder / CASES).read_bytes() == before


def test_a_number_that_moved_by_more_than_its_tolerance_is_written_and_no_other(built, folder):
    def edit(items):
        item = next(each for each in items.values() if any(numbers(each["cases"])))
        where, at, _ = next(numbers(item["cases"]))
        where[at] += 3 * max(item["tolerance"], 5.4e-4) * max(1.0, abs(where[at]))

    changed = edited(built, edit)
    assert changed.differs_from(folder) == [CASES]
    before = json.loads((folder / CASES).read_bytes())
    changed.write(folder)
    after = json.loads((folder / CASES).read_bytes())
    pairs = zip(numbers(before), numbers(after), strict=True)
    assert sum(one[0][one[1]] != two[0][two[1]] for one, two in pairs) == 1


@pytest.mark.parametrize(
    "edit",
    [
        lambda item: item.update(tolerance=item["tolerance"] * 1.0000001),
        lambda item: item["sentences"].append("One more."),
        lambda item: item["cases"][0].update(hint="Another hint."),
        lambda item: item["cases"].pop(),
    ],
)
def test_anything_else_that_changed_is_stale(built, folder, edit):
    def first(items):
        edit(next(each for each in items.values() if each["cases"]))

    assert edited(built, first).differs_from(folder) == [CASES]


def test_a_file_that_is_damaged_or_lost_is_written_anew(built, folder):
    for damage in (lambda path: path.write_text("{"), lambda path: path.unlink()):
        damage(folder / CASES)
        assert built.differs_from(folder) == [CASES]
        built.write(folder)
        assert (folder / CASES).read_bytes() == built.files[CASES]
