"""What students download: the same bytes each time, whole, and fit for every system."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.bundle import BundleError, bundles
from autograder.bundle.names import troubles
from autograder.cli import app
from autograder.course import read_course
from autograder.release import build
from autograder.template import plan

ROOT = Path(__file__).resolve().parents[2]
NAME = "squares"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    plan(root, NAME).write()
    found = read_course(root)
    build(found, NAME).write(root / "assignments" / NAME)
    return found


@pytest.fixture(scope="module")
def release(course):
    folder = course.root / "assignments" / NAME
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def call(course, *args):
    return CliRunner().invoke(app, ["bundle", *args, "--course", str(course.root)])


def unzipped(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist()}


def test_a_zip_holds_the_release_in_a_folder_of_its_name(course, release):
    made = bundles(course, {NAME: release})
    assert made.keys() == {f"{NAME}.zip", "course.zip", "manifest.json", "SHA256SUMS"}
    assert unzipped(made[f"{NAME}.zip"]) == {f"{NAME}/{path}": release[path] for path in release}
    whole = unzipped(made["course.zip"])
    assert {f"course/{NAME}/{path}" for path in release} < whole.keys()
    assert {"README.md", "requirements.txt", f"{NAME}.ipynb", "checks/__init__.py"} < release.keys()
    assert f"`{NAME}/`" in whole["course/README.md"].decode()


def test_the_same_release_gives_the_same_bytes(course, release):
    other_order = dict(reversed(release.items()))
    assert bundles(course, {NAME: other_order}) == bundles(course, {NAME: release})
    with zipfile.ZipFile(io.BytesIO(bundles(course, {NAME: release})["course.zip"])) as archive:
        about = archive.infolist()
    assert {each.date_time for each in about} == {(1980, 1, 1, 0, 0, 0)}
    assert {each.compress_type for each in about} == {zipfile.ZIP_STORED}
    assert {each.create_system for each in about} == {3}


def test_checksums_are_those_of_the_files(course, release):
    made = bundles(course, {NAME: release})
    rows = [line.split("  ") for line in made["SHA256SUMS"].decode().splitlines()]
    assert {name: sum for sum, name in rows} == {
        name: hashlib.sha256(data).hexdigest()
        for name, data in made.items()
        if name != "SHA256SUMS"
    }


def items(course, release):
    manifest = json.loads(bundles(course, {NAME: release})["manifest.json"])
    assert manifest["assignments"][NAME]["files"].keys() == release.keys()
    return manifest["assignments"][NAME]["items"]


def test_the_manifest_tells_which_item_has_changed(course, release):
    before = items(course, release)
    assert before.keys() == {each.id for each in course.assignment(NAME).items}
    (item,) = before
    assert items(course, release | {"README.md": b"other words"}) == before
    cases = json.loads(release["checks/cases.json"])
    cases["items"][item]["tolerance"] = 0.5
    changed = release | {"checks/cases.json": json.dumps(cases).encode()}
    assert items(course, changed) != before
    notebook = release[f"{NAME}.ipynb"].replace(b"square", b"cube", 1)
    assert items(course, release | {f"{NAME}.ipynb": notebook}) != before


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (["data/aux.csv"], "aux.csv is a device on Windows"),
        (["CON"], "CON is a device on Windows"),
        (["checks/a:b"], "':' is not a character"),
        (["figures/façade.svg"], "'ç' is not a character"),
        (["notes. "], "with a dot or space at its end"),
        (["a/" + "b" * 150], "it has 152 characters"),
        (["Data.csv", "data.csv"], "Data.csv and data.csv are one file"),
        (["Data/x", "data/y"], "Data and data are one file"),
    ],
)
def test_a_name_that_not_every_system_takes_is_told(paths, told):
    (said,) = troubles(paths)
    assert told in said


def test_usual_names_are_fine(course, release):
    assert troubles([*release, "auxiliary.py", "console/nul_values.txt", "a.b.c"]) == []
    with pytest.raises(BundleError, match="device on Windows"):
        bundles(course, {NAME: release | {"prn.txt": b""}})


def test_the_command_writes_dist_and_refuses_what_is_stale(course, release):
    dry = call(course, "--dry-run")
    assert "would write" in dry.output
    assert not (course.root / "dist").exists()
    assert call(course).exit_code == 0
    dist = course.root / "dist"
    made = bundles(course, {NAME: release})
    assert {path.name: path.read_bytes() for path in dist.iterdir()} == made
    readme = course.root / "assignments" / NAME / "README.md"
    kept = readme.read_bytes()
    readme.write_bytes(kept + b"More.\n")
    refused = call(course)
    readme.write_bytes(kept)
    assert refused.exit_code == 2
    assert f"assignments/{NAME} is stale (README.md): run `autograder release" in refused.output


def test_all_that_is_stale_is_named_at_once(tmp_path):
    for name in (NAME, "cubes"):
        plan(tmp_path, name).write()
    refused = CliRunner().invoke(app, ["bundle", "--course", str(tmp_path)])
    assert refused.exit_code == 2
    assert f"run `autograder release {NAME} cubes`" in " ".join(refused.output.split())
