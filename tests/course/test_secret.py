"""The secret is made once, kept from others, and given away by nothing that is made of it."""

import stat
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.secret import FILE, VARIABLE, fingerprint, read_secret, seed


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


def test_the_secret_is_made_on_first_use_and_kept(tmp_path):
    first = read_secret(tmp_path)
    assert len(first) >= 32
    assert read_secret(tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_only_its_owner_can_read_it(tmp_path):
    read_secret(tmp_path)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_two_courses_have_two_secrets(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert read_secret(tmp_path / "a") != read_secret(tmp_path / "b")


def test_the_environment_wins_and_leaves_no_file(tmp_path, monkeypatch):
    kept = read_secret(tmp_path)
    monkeypatch.setenv(VARIABLE, "  the secret of the environment\n")
    assert read_secret(tmp_path) == "the secret of the environment"
    (tmp_path / FILE).unlink()
    read_secret(tmp_path)
    assert not (tmp_path / FILE).exists()
    monkeypatch.delenv(VARIABLE)
    assert read_secret(tmp_path) != kept


@pytest.mark.parametrize("text", ["", "   \n", "fifteen letters", f"{'x' * 15}\n"])
def test_one_that_is_too_short_is_refused_with_its_place(tmp_path, monkeypatch, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ValueError, match=f"{FILE} holds .* 16 are needed"):
        read_secret(tmp_path)
    assert (tmp_path / FILE).read_text() == text
    (tmp_path / FILE).write_text("x" * 16)
    assert read_secret(tmp_path) == "x" * 16
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ValueError, match=f"variable {VARIABLE} holds .* 16 are needed"):
        read_secret(tmp_path)


@given(st.text(min_size=16), st.text(min_size=16))
def test_a_fingerprint_tells_secrets_apart_and_gives_none_away(one, other):
    print_ = fingerprint(one)
    assert print_ == fingerprint(one)
    assert len(print_) == 12
    assert one not in print_
    assert print_ != sha256(one.encode()).hexdigest()[:12]  # which a table of hashes may hold
    assert (print_ == fingerprint(other)) == (one == other)
    # The seeds are drawn from the secret alone as well, and may not begin like the fingerprint.
    assert f"{seed(one, 'a', 'b', 'c') << 1:016x}"[:12] != print_


PARTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(*(st.tuples(PARTS, PARTS, PARTS, PARTS) for _ in range(2)))
def test_every_secret_assignment_item_and_case_has_its_own_seed(one, other):
    assert 0 <= seed(*one) < 2**63
    assert (seed(*one) == seed(*other)) == (one == other)


def test_the_parts_of_a_seed_are_kept_apart():
    calls = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc")]
    assert len({seed("s" * 16, "a1", *call) for call in calls}) == len(calls)
    assert len({seed("s" * 16, "a1", "item", f"test[{n}]") for n in range(1000)}) == 1000


def test_a_seed_is_the_same_on_every_machine():
    # Any change here changes every hidden input, and with it the scores of a regrade.
    assert seed("a secret of sixteen", "a1", "item", "case") == 2159016225955105861
