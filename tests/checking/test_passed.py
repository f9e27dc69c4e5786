"""A check is not run again for answers with which it was passed; that tells nobody from anybody."""

import pytest
import torch

from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, Question, StudentError
from autograder.checking.runner import Runner
from autograder.course import Verdict
from autograder.grading import grade, prepare

SECRET = "for the tests alone"
TIMES = "import torch\ndef f(x): return x * 3"
ONE, TWO = torch.tensor([0.1, 0.7], dtype=torch.float64), torch.ones(2, dtype=torch.float64)
ASKED = [Question("f", (each,)) for each in (ONE, TWO, ONE + TWO)]


def told(result):
    return result.model_copy(update={"seconds": 0.0})


@pytest.mark.parametrize("kind", ["right", "wrong", "hostile"])
def test_results_are_those_of_a_grader_that_knows_no_answers(
    kind, course, samples, server, tmp_path
):
    chosen = [each for each in samples.values() if each.kind == kind][::5][:8]
    assert chosen
    knows = prepare(course, "a1_attention", SECRET)
    for each in [each for each in samples.values() if each.kind == "right"][:3]:
        grade(each.name, each.write(tmp_path / "before").parent, knows, server)
    for each in chosen:
        path = each.write(tmp_path).parent
        anew = prepare(course, "a1_attention", SECRET)
        one, other = (grade(each.name, path, exam, server) for exam in (knows, anew))
        assert told(one) == told(other), each.name


def test_a_check_that_was_passed_is_not_run_again(course, samples, server, tmp_path, monkeypatch):
    ran, run = [], Runner._run
    monkeypatch.setattr(
        Runner, "_run", lambda self, check, *more: ran.append(check) or run(self, check, *more)
    )
    exam = prepare(course, "a1_attention", SECRET)
    path = next(each for each in samples.values() if each.kind == "right").write(tmp_path)
    ran.clear()
    first = grade("somebody", path.parent, exam, server)
    all_of_them = len(ran)
    ran.clear()
    assert told(grade("somebody", path.parent, exam, server)) == told(first)
    assert all_of_them > 10 * len(ran)  # those left look at values, which nobody foresees


def asked(server, source, foreseen=ASKED):
    return RemoteStudent(
        server,
        [Cell("one", source, solution=True)],
        modules={},
        banned=(),
        banned_in={},
        defined_in={"f": "one"},
        foreseen=foreseen,
    )


@pytest.fixture
def known(server):
    with asked(server, TIMES) as student:
        student.verbatim.listen()
        student.call("f", ONE)
        student.call("f", TWO)
        return student.verbatim.noted()


def test_the_same_to_the_last_bit_is_known(server, known):
    questions, answers = known
    assert questions == tuple(ASKED[:2])
    with asked(server, f"{TIMES}\n# another's") as student:
        assert student.repeats(questions, [answers]) == answers
        assert torch.equal(student.answer_to(1).value, TWO * 3)  # should anybody ask


def test_of_whom_nothing_is_foreseen_nothing_is_known(server, known):
    questions, answers = known
    with asked(server, TIMES, foreseen=ASKED[2:]) as student:
        assert student.repeats(questions, [answers]) is None
        assert torch.equal(student.call("f", TWO).value, TWO * 3)


def test_another_last_bit_is_another_answer(server, known):
    questions, answers = known
    source = TIMES.replace("x * 3", "torch.nextafter(x * 3, x * 3 + (x == 1))")
    with asked(server, source) as student:
        assert student.repeats(questions, [answers]) is None
        assert torch.equal(student.call("f", ONE).value, ONE * 3)  # which had come already
        got = student.call("f", TWO).value
    assert (got != TWO * 3).all()
    assert torch.allclose(got, TWO * 3, atol=1e-15, rtol=0)


def test_what_has_come_is_not_asked_again(server, known):
    questions, answers = known
    counts = f"{TIMES} + (n.append(1) or len(n) > 1) * (x == 1)\nn = []\ndef calls(): return len(n)"
    with asked(server, counts) as student:
        assert student.repeats(questions, [answers]) is None
        assert torch.equal(student.call("f", ONE).value, ONE * 3)
        assert torch.equal(student.call("f", TWO).value, TWO * 3 + 1)
        assert student.call("calls").value == 3  # each of the foreseen ones, once


def test_who_dies_of_a_question_is_told_when_it_is_asked(server, known):
    questions, answers = known
    source = TIMES.replace("return", "return __import__('os')._exit(3) if x[0] == 1 else")
    with asked(server, source) as student:
        assert student.repeats(questions, [answers]) is None
        assert torch.equal(student.call("f", ONE).value, ONE * 3)
        with pytest.raises(StudentError, match="exit status 3") as error:
            student.call("f", TWO)
    assert error.value.verdict is Verdict.ERROR


def test_what_nobody_asked_for_is_not_noted(server):
    with asked(server, TIMES) as student:
        student.verbatim.listen()
        student.call("f", ONE)  # and the others are on their way
        student.call("f", ONE + TWO)  # the one between is taken and left
        assert student.verbatim.noted() is None


def test_an_unforeseen_question_is_not_noted(server):
    with asked(server, TIMES) as student:
        student.verbatim.listen()
        student.call("f", ONE)
        student.call("f", ONE * 5)
        assert student.verbatim.noted() is None
