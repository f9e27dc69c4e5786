"""Imports within the walls look at each file once, and find what they would find anyway."""

import os
import posix
import sys
from importlib.machinery import SourceFileLoader

import pytest

from autograder.sandbox import imports


def test_a_path_is_looked_at_once_and_an_open_file_each_time(tmp_path, monkeypatch):
    looked, real = [], posix.stat
    monkeypatch.setattr(posix, "stat", lambda path, **how: looked.append(path) or real(path, **how))
    monkeypatch.setattr(os, "stat", posix.stat)
    with imports.looking_once():
        kept = os.stat
        first, second = os.stat(tmp_path), os.stat(tmp_path)
        with open(path := tmp_path / "file", "wb") as file:
            assert os.stat(file.fileno()).st_size == os.stat(path).st_size == 0
            os.write(file.fileno(), b"some")
            assert os.stat(file.fileno()).st_size == 4
        with pytest.raises(FileNotFoundError):
            os.stat(tmp_path / "none")
    assert first == second
    assert looked.count(tmp_path) == 1
    assert kept(path).st_size == os.stat(path).st_size == 4


def test_modules_are_what_they_are_without_it(tmp_path, monkeypatch):
    large = "x" * (imports._CHUNK + 1)
    (tmp_path / "a_module_of_a_test.py").write_text(f"VALUE = {large!r}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with imports.looking_once():
        import a_module_of_a_test
    assert large == a_module_of_a_test.VALUE
    del sys.modules["a_module_of_a_test"]
    assert SourceFileLoader.get_data is not imports._read


def test_all_is_as_it_was_after_an_import_that_fails():
    before = os.stat, posix.stat, SourceFileLoader.get_data
    with pytest.raises(ImportError), imports.looking_once():
        raise ImportError
    assert (os.stat, posix.stat, SourceFileLoader.get_data) == before
