"""A class of any size: the same pages from results in brief, by whatever number of processes."""

import os
import signal
import tracemalloc

import pytest
from export_samples import COURSE, NAMED, UNKNOWN, assignment, graded
from test_dashboard import a_class

from autograder.course.result import Result, Verdict
from autograder.export.brief import in_brief
from autograder.export.dashboard import write_class_page
from autograder.export.several import by_several


def with_all_there_is(size):
    """A class with mistakes, troubles, unreadable work, notes, and evidence of everyone's own."""
    of = assignment()
    results = []
    for number, each in enumerate(a_class(size, of)):
        items = tuple(
            item.model_copy(update={"message": f"{number}: {item.item}", "hint": "x" * 2000})
            for item in each.items
        )
        more = {"items": items, "notes": (f"note {number}",), "mistakes": (NAMED, UNKNOWN)}
        results.append(each.model_copy(update=more))
    results.append(graded("odd", of, [Verdict.UNREADABLE] * 3))
    results.append(graded("troubled", of, trouble="nothing could be explained"))
    return of, results


def test_the_class_page_is_that_of_whole_results(tmp_path):
    of, results = with_all_there_is(40)
    pages = [tmp_path / "whole.html", tmp_path / "brief.html"]
    for page, those in zip(pages, (results, list(in_brief(results))), strict=True):
        write_class_page(those, of, COURSE, page, {})
    whole, brief = (each.read_bytes() for each in pages)
    assert b"note 1" not in whole
    assert b"9: attention_output" in whole  # why staff must look
    assert brief == whole


def test_whoever_reads_thousands_has_little_in_memory(tmp_path):
    _, results = with_all_there_is(200)
    text = [each.model_dump_json() for each in results]
    tracemalloc.start()
    held = list(in_brief(Result.model_validate_json(each) for each in text))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held) == len(text)
    assert taken / len(held) < 4_000  # bytes; whole ones take 20,000
    right = {id(item) for each in held for item in each.items if item.verdict is Verdict.PASSED}
    assert len(right) == 3  # of three items, each is held once


def test_several_processes_give_what_one_does_in_the_same_order():
    with by_several(lambda n: (n * n, os.getpid()), range(50), 3) as made:
        found = list(made)
    assert [square for square, _ in found] == [n * n for n in range(50)]
    pids = {pid for _, pid in found}
    assert len(pids) == 3
    assert os.getpid() not in pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_goes_wrong_in_one_of_them_is_raised_here():
    def fails(n):
        if n == 7:
            raise ValueError("s007.json is not a result file")
        return n

    with pytest.raises(ValueError, match=r"s007\.json"), by_several(fails, range(50), 2) as made:
        assert list(made)

    def dies(n):
        if n == 7:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ChildProcessError), by_several(dies, range(50), 2) as made:
        list(made)


def test_nobody_is_left_when_nobody_asks_for_more():
    with by_several(lambda _: os.getpid(), range(50), 2) as made:
        pid = next(made)
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
