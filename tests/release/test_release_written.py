"""A release is written: it takes the place of the old one whole, or not at all."""

import hashlib
from pathlib import Path

import pytest

from autograder.release.builder import Built

NAME = "a1_attention"
SMALL = Built({"a.txt": b"new", "figures/b.svg": b"new too"})


def digest(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]


def test_a_release_takes_the_place_of_the_old_one_whole(tmp_path):
    folder = tmp_path / "assignments" / NAME
    SMALL.write(folder)
    (folder / "stale.txt").write_text("old")
    (folder / "a.txt").write_text("old")
    assert SMALL.differs_from(folder) == ["a.txt", "stale.txt"]
    SMALL.write(folder)
    assert SMALL.differs_from(folder) == []
    assert (folder / "figures" / "b.svg").read_bytes() == b"new too"
    assert folder.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in folder.parent.iterdir()] == [NAME]


def test_a_stale_folder_is_told_by_name(tmp_path):
    folder = tmp_path / NAME
    SMALL.write(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").write_bytes(b"")
    assert SMALL.differs_from(folder) == []
    (folder / "a.txt").write_text("older")
    (folder / "figures" / "b.svg").unlink()
    (folder / "figures" / "c.svg").write_text("")
    assert SMALL.differs_from(folder) == ["a.txt", "figures/b.svg", "figures/c.svg"]


@pytest.mark.parametrize(
    ("method", "call"), [("write_bytes", 1), ("write_bytes", 2), ("rename", 2)]
)
def test_an_interrupted_write_leaves_the_old_release(tmp_path, monkeypatch, method, call):
    folder = tmp_path / NAME
    Built({"a.txt": b"old"}).write(folder)
    before = digest(folder)
    real, count = getattr(Path, method), 0

    def interrupted(self, *args):
        nonlocal count
        count += 1
        if count == call:
            raise KeyboardInterrupt
        return real(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Path, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            SMALL.write(folder)
    assert digest(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
