"""What `make` installs without a resolver: nothing is missing, no promised Python is refused."""

import re
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
# As in the Makefile, which says why.
LEFT_OUT = re.compile(r"torch$|triton$|docopt$|nvidia-|cuda-")


def entries(name):
    """Each requirement of a file as pip reads it, with its hashes."""
    for line in (ROOT / name).read_text().replace("\\\n", " ").splitlines():
        if line and not line.lstrip().startswith("#"):
            requirement, *hashes = line.split("--hash=")
            yield Requirement(requirement.strip()), [each.strip() for each in hashes]


LOCK = list(entries("requirements.lock"))
CHOSEN = [requirement for requirement, _ in entries("constraints.txt")]
HERE = {
    canonicalize_name(each.name): each.specifier
    for each, _ in LOCK
    if each.marker is None or each.marker.evaluate()
}


def needs():
    """All that the project, its extras and its build need on this machine, needs of needs too."""
    ahead = [
        (each, "")
        for group in (
            PYPROJECT["build-system"]["requires"],
            PROJECT["dependencies"],
            *PROJECT["optional-dependencies"].values(),
        )
        for each in group
    ]
    seen = set()
    while ahead:
        text, asked = ahead.pop()
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if name != "torch" and LEFT_OUT.match(name):
            continue
        if requirement.marker and not requirement.marker.evaluate({"extra": asked}):
            continue
        yield name, requirement.specifier
        for extra in {"", *requirement.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                ahead += [(each, extra) for each in distribution(name).requires or ()]


def test_every_entry_is_one_release_with_its_hashes():
    for requirement in (*CHOSEN, *(each for each, _ in LOCK)):
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
    for requirement, hashes in LOCK:
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), requirement


def test_what_is_installed_is_what_is_locked():
    other = {name: version(name) for name in HERE if version(name) not in HERE[name]}
    assert not other, "this environment is not the lock's: `make clean lint` makes it anew"


def test_every_python_that_is_promised_may_have_every_release():
    (oldest,) = SpecifierSet(PROJECT["requires-python"])
    assert oldest.operator == ">="
    for name in (*HERE, "torch"):
        allowed = SpecifierSet(distribution(name).metadata["Requires-Python"] or "")
        for python in (f"{oldest.version}.0", "3.99"):  # or later
            assert python in allowed, f"{name} {version(name)} needs Python {allowed}"


def test_what_is_needed_is_locked_and_nothing_else():
    assert {name for name, _ in needs()} - {"torch"} == set(HERE)


def test_every_need_is_met():
    unmet = {(name, str(which)) for name, which in needs() if version(name) not in which}
    assert not unmet


def test_torch_is_pinned_once_and_what_was_chosen_is_installed():
    assert [each.name for each in CHOSEN if LEFT_OUT.match(each.name)] == ["torch"]
    assert not [each.name for each, _ in LOCK if LEFT_OUT.match(each.name)]
    assert not [str(each) for each in CHOSEN if version(each.name) not in each.specifier]
