"""A submission that dies, hangs or lies: what its student is told, and what goes on."""

import select

import pytest
import torch

from autograder.asking.blame import failure_in
from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, LocalStudent, Question, StudentError
from autograder.course.result import Verdict
from autograder.sandbox import walls
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server
from autograder.sandbox.how import How
from autograder.sandbox.modules import Blueprint

LIMITS = Limits(wall_seconds=8, call_seconds=0.6, memory_mib=256, processes=1, output_bytes=1 << 20)
IMPORTS = Cell("imports", "import torch, os, time")


@pytest.fixture(scope="module")
def server():
    with Server(walls.choose(), LIMITS) as found:
        yield found


def student(server, *cells, foreseen=(), banned=(), banned_in=None):
    return RemoteStudent(
        server,
        [IMPORTS, *cells],
        modules={},
        banned=banned,
        banned_in=banned_in or {},
        defined_in={"f": "one", "g": "two"},
        foreseen=foreseen,
    )


def solution(name, source):
    return Cell(name, source, solution=True)


def verdict(call, *args, **kwargs):
    with pytest.raises(StudentError) as error:
        call(*args, **kwargs)
    return error.value.verdict, str(error.value)


def test_values_and_gradients(server):
    cell = solution("one", "def f(x, y, scale=1.0): return x * y * scale, x.sum()")
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    with student(server, cell) as each:
        got = each.call("f", x.requires_grad_(), y, scale=2.0, cotangents=(torch.ones(2), None))
    assert torch.equal(got.value[0], torch.tensor([6.0, 16.0]))
    assert torch.equal(got.gradients[0], torch.tensor([6.0, 8.0]))
    assert got.changed == ()


def test_what_was_written_to_is_told(server):
    cell = solution("one", "def f(x, y): y += 1; return x")
    with student(server, cell) as each:
        assert each.call("f", torch.zeros(2), torch.zeros(2)).changed == (1,)


def test_made_elsewhere(server):
    cell = solution(
        "one",
        "def f(x, device):\n"
        "  return (torch.zeros(2), torch.zeros_like(x), torch.ones(2).to(x.device),\n"
        "          torch.arange(2, device=device), x.cpu(), torch.ones(2).to(x), x + 1.0,\n"
        "          torch.stack([x, x]), torch.tensor(x.tolist()), x.to(torch.float64) == 1)\n"
        "def g(x): return x + torch.ones(2)\n",
    )
    with student(server, cell) as each:
        answer = each.call("f", torch.ones(2), elsewhere=True, device="cuda")
        got, said = verdict(each.call, "g", torch.ones(2), elsewhere=True)
    expected = (False, True, True, True, False, True, True, True, False, True)
    assert answer.elsewhere == expected
    assert all(type(each) is torch.Tensor for each in answer.value)
    assert got is Verdict.ERROR
    assert "same device" in said


@pytest.mark.parametrize(
    ("body", "expected", "words"),
    [
        ("raise ValueError('no\\nway')", Verdict.ERROR, "ValueError: no"),
        ("raise NotImplementedError", Verdict.MISSING, "still the stub"),
        ("return undefined", Verdict.ERROR, "line 2: return undefined"),
        ("raise SystemExit(3)", Verdict.ERROR, "SystemExit"),
        ("os._exit(3)", Verdict.ERROR, "exit status 3"),
        ("import ctypes; ctypes.string_at(0)", Verdict.ERROR, "segmentation fault"),
        ("bytearray(1 << 30)", Verdict.MEMORY, "more memory than it may"),
        ("torch.ones(1 << 28)", Verdict.MEMORY, "more memory than it may"),
        ("while True: pass", Verdict.TIMEOUT, "within 0.6 seconds"),
        ("while True: print('x' * 10000)", Verdict.ERROR, "OutputError: more than 1,048,576"),
        ("return f(x)", Verdict.ERROR, "RecursionError"),
    ],
)
def test_a_bad_call_costs_itself_alone(server, body, expected, words):
    cells = (
        solution("one", f"def f(x):\n  {body}"),
        solution("two", "def g(x):\n  return x + 1"),
    )
    with student(server, *cells) as each:
        got, said = verdict(each.call, "f", torch.zeros(1))
        assert got is expected
        assert words in said
        assert each.call("g", torch.zeros(1)).value.item() == 1.0
        assert verdict(each.call, "f", torch.zeros(1))[0] is expected


@pytest.mark.parametrize("bad", ["while True: pass", "os._exit(0)", "raise SystemExit"])
def test_a_bad_added_cell_costs_nothing_by_itself(server, bad):
    cells = (
        solution("one", "def f(x): return x"),
        Cell("number 3 (added)", bad),
        solution("two", "def g(x): return x"),
    )
    with student(server, *cells) as each:
        each.run()
        assert list(each.cell_errors) == ["number 3 (added)"]
        assert each.call("f", torch.ones(1)).value.item() == 1.0
        assert each.call("g", torch.ones(1)).value.item() == 1.0


def test_a_bad_solution_cell_is_why_its_names_are_missing(server):
    with student(server, solution("one", "def f(x:")) as each:
        got, said = verdict(each.call, "f", torch.ones(1))
    assert got is Verdict.ERROR
    assert "the cell one raised SyntaxError" in said
    with student(server) as each:
        assert verdict(each.call, "f", torch.ones(1))[0] is Verdict.MISSING


def test_the_whole_has_its_time_too(server):
    cells = [Cell(f"number {n} (added)", "time.sleep(0.5)") for n in range(40)]
    with student(server, *cells, solution("one", "def f(x): return x")) as each:
        got, said = verdict(each.call, "f", torch.ones(1))
    assert got is Verdict.TIMEOUT
    assert "8 seconds in all" in said


def questions(name, *numbers):
    return [Question(name, (torch.tensor([float(n)]),), {}) for n in numbers]


def test_an_answer_belongs_to_its_question(server):
    """Asked ahead or not, in order or not, left out or not: each gets its own answer."""
    cell = solution("one", "n = 0\ndef f(x):\n  global n; n += 1\n  return x * 10")
    foreseen = questions("f", *range(60))
    with student(server, cell, foreseen=foreseen) as each:
        for n in (0, 1, 2, 30, 31, 5, 59, 100, 59):
            assert each.call("f", torch.tensor([float(n)])).value.item() == n * 10


def test_a_part_of_a_tensor_is_foreseen_by_its_copy(server):
    cell = solution("one", "calls = 0\ndef f(x):\n  global calls; calls += 1; return calls")
    wide = torch.arange(24.0).view(2, 3, 4)
    parts = wide, wide[:, :1], wide[..., 1:3], wide.transpose(0, 1)[:2]
    foreseen = [Question("f", (each,)).copied() for each in parts]
    with student(server, cell, foreseen=foreseen) as each:
        assert [each.call("f", part).value for part in parts] == [1, 2, 3, 4]  # none asked twice


def test_asked_ahead_a_death_is_its_own(server):
    source = "def f(x):\n  if x.item() == 3: os._exit(1)\n  return x\n"
    cells = solution("one", source), solution("two", "def g(x): return -x")
    foreseen = [*questions("f", 1, 2, 3, 4), *questions("g", 5, 6)]
    with student(server, *cells, foreseen=foreseen) as each:
        assert each.call("f", torch.tensor([1.0])).value.item() == 1
        assert each.call("f", torch.tensor([2.0])).value.item() == 2
        assert verdict(each.call, "f", torch.tensor([3.0]))[0] is Verdict.ERROR
        assert verdict(each.call, "f", torch.tensor([4.0]))[0] is Verdict.ERROR
        assert each.call("g", torch.tensor([5.0])).value.item() == -5
        assert each.call("g", torch.tensor([6.0])).value.item() == -6


def test_a_skipped_question_that_kills_is_not_the_next_ones_fault(server):
    source = "def f(x):\n  os._exit(1)\n"
    cells = solution("one", source), solution("two", "def g(x): return -x")
    foreseen = [*questions("f", 1), *questions("g", 5)]
    with student(server, *cells, foreseen=foreseen) as each:
        assert each.call("g", torch.tensor([5.0])).value.item() == -5
        assert verdict(each.call, "f", torch.tensor([1.0]))[0] is Verdict.ERROR


def test_a_banned_call_is_seen_where_it_is_made(server):
    name = "torch.nn.functional.scaled_dot_product_attention"
    hidden = "getattr(torch.nn.functional, 'scaled_dot_' + 'product_attention')"
    cells = (
        Cell("number 2 (added)", f"x = torch.ones(1, 2, 2); mine = {hidden}(x, x, x)"),
        solution("one", f"def f(x): return {hidden}(x, x, x)"),
        solution("two", "def g(x): return torch.softmax(x @ x, -1)"),
    )
    with student(server, *cells, banned=[name]) as each:
        got, said = verdict(each.call, "f", torch.ones(1, 2, 2))
        assert (got, name in said) == (Verdict.FORBIDDEN, True)
        assert each.call("g", torch.ones(1, 2, 2)).value.shape == (1, 2, 2)
        assert each.cell_errors == {}  # comparing with it in a cell is no offence


def test_known_to_be_banned_it_is_not_even_called(server):
    cell = solution("one", "def f(x): return x")
    with student(server, cell, banned_in={"f": "torch.nn.Transformer"}) as each:
        assert verdict(each.call, "f", torch.ones(1))[0] is Verdict.FORBIDDEN


def test_forged_answers_are_errors_not_ours(server):
    source = (
        "import autograder.sandbox.fork as fork\n"
        "forged = {'value': {'tensor': 'x', 'order': [9], 'grad': 0}, 'gradients': []}\n"
        "forged |= {'changed': [7], 'failure': None}\n"
        "def f(x): fork._describe = lambda answer, pack: forged\n"
    )
    with student(server, solution("one", source)) as each:
        got, said = verdict(each.call, "f", torch.ones(1))
    assert got is Verdict.ERROR
    assert "an answer that is none" in said


NOTHING = dict.fromkeys(("gradients", "changed", "elsewhere", "read", "watched", "banned"), ())
NOTHING |= {"value": {"plain": 1}, "operations": 0, "multiplications": 0, "mode_changed": False}
BY_SHAPES = {"type": "WrongParameters", "message": "F"}


@pytest.mark.parametrize(
    "forged",
    [
        # Whoever goes through a tensor makes a tensor of each of its rows.
        {
            "failure": BY_SHAPES,
            "value": {"dict": [["x", {"meta": [10**9], "dtype": "bool"}]]},
        },
        {"failure": BY_SHAPES, "value": {"dict": [["x", {"plain": "7" * 999}]]}},
        {"failure": BY_SHAPES, "value": {"plain": None}},
        {"failure": BY_SHAPES, "value": {"dict": [["x", {"list": [{"plain": "7"}]}]]}},
        {"failure": None, "gradients": [{"plain": "a text"}, {"plain": None}]},
        {"failure": None, "gradients": [{"meta": [1], "dtype": "float32"}] * 2},
    ],
)
def test_forged_shapes_and_gradients_are_none(server, forged):
    source = "import torch\nimport autograder.sandbox.fork as fork\n"
    source += "class F(torch.nn.Linear):\n    def forward(self, x):\n"
    source += f"        fork._describe = lambda *_: {NOTHING | forged!r}\n        return x"
    weights = {"weight": torch.ones(1, 1), "bias": torch.ones(1)}
    made = Blueprint("F", (1, 1), weights=weights, dtype=torch.float32)
    how = How() if forged["failure"] else How([torch.ones(1)])
    with student(server, solution("one", source)) as each:
        got, said = verdict(each.ask, Question(made, (torch.ones(1),), how=how))
    assert got is Verdict.ERROR
    assert "an answer that is none" in said


@pytest.mark.parametrize("line", [-5, True, 10**4200], ids=["negative", "bool", "huge"])
def test_a_line_that_no_cell_has_is_not_told(line):
    told = failure_in({"failure": {"type": "KeyError", "message": "k", "line": line}})
    assert told.line is None


def test_the_reference_fails_aloud():
    with pytest.raises(RuntimeError, match="the reference fails: ZeroDivisionError"):
        LocalStudent([Cell("one", "1 / 0")], {})
    reference = LocalStudent([Cell("one", "def f(): raise KeyError('k')")], {})
    with pytest.raises(RuntimeError, match="KeyError"):
        reference.call("f")


def test_what_the_reference_takes_is_time_of_the_processor():
    """What a trial may take follows from it, and must not from who else is at work here."""
    reference = LocalStudent([Cell("one", "import time\ndef f(): time.sleep(0.2)")], {})
    reference.call("f")
    assert reference.asked[0].seconds < 0.1


def test_what_a_call_before_writes_to_is_the_questions_no_more():
    student = LocalStudent([Cell("one", "def f(x, y):\n    y.mul_(2)\n    return x + y")], {})
    x, y, other = (torch.full((2,), each) for each in (1.0, 2.0, 3.0))
    question = Question("f", (x,), {"y": y}, How(before={"y": other}))
    for _ in range(2):
        assert student.answer(question).value.tolist() == [5, 5]
    assert (y.tolist(), other.tolist()) == ([2, 2], [3, 3])


def test_questions_are_the_same_to_the_last_bit():
    x = torch.arange(6.0).reshape(2, 3)
    one = Question("f", (x,), {"mask": None})
    assert one.is_same(Question("f", (x.clone(),), {"mask": None}))
    for other in (
        Question("g", (x,), {"mask": None}),
        Question("f", (x + 1e-7,), {"mask": None}),
        Question("f", (x.double(),), {"mask": None}),
        Question("f", (x.T.contiguous().T,), {"mask": None}),
        Question("f", (x.clone().requires_grad_(),), {"mask": None}),
        Question("f", (x,), {}),
        Question("f", (x,), {"mask": None}, How(elsewhere=True)),
        Question("f", (x,), {"mask": None}, How(cotangents=(x,))),
    ):
        assert not one.is_same(other)


def test_a_name_whose_import_failed_says_so(server):
    cells = (
        Cell("extra", "from no_such_thing import rearrange, reduce"),
        solution("one", "def f(x): return rearrange(x)\ndef g(x): return other(x)"),
    )
    with student(server, *cells) as each:
        said = verdict(each.call, "f", torch.zeros(1))[1]
        assert (
            "name 'rearrange' is not defined: its import failed in the cell extra: No mod" in said
        )
        assert "import" not in verdict(each.call, "g", torch.zeros(1))[1]


def test_a_process_that_dies_between_two_questions_is_told(server):
    cell = solution(
        "one",
        "import signal\n"
        "def f(x):\n"
        "  signal.signal(signal.SIGALRM, lambda *_: os._exit(3))\n"
        "  signal.setitimer(signal.ITIMER_REAL, 0.5)\n"
        "  signal.setitimer = lambda *_: None\n"  # or it would be set again
        "  return x\n",
    )
    asked = [Question("f", (torch.full((2,), float(n)),)) for n in range(4)]
    for then in (lambda each: each.ask(asked[1]), lambda each: each.call("f", torch.ones(9))):
        with student(server, cell, foreseen=asked) as each:
            each.call(*asked[0].call, **asked[0].options)
            gone = select.poll()
            gone.register(each._fork._channel, 0)
            assert gone.poll(30_000)
            assert verdict(then, each)[0] is Verdict.ERROR


def test_a_value_is_had_when_what_is_skipped_ends_the_process(server):
    cell = solution("one", "def f(x): return x if x[0] < 1 else os._exit(3)\nn = torch.ones(1)")
    asked = [Question("f", (torch.full((2,), float(n)),)) for n in range(4)]
    with student(server, cell, foreseen=asked) as each:
        each.call(*asked[0].call, **asked[0].options)
        assert torch.equal(each.get("n"), torch.ones(1))


def test_a_server_that_cannot_clean_up_is_thrown_away(monkeypatch):
    """Some file systems let a file's owner forbid that it is removed."""
    honest = walls.copy_worker

    def copy_worker(folder):
        honest(folder)
        path = folder / "worker" / "autograder" / "sandbox" / "server.py"
        removed = 'os.unlink(entry.path + "/" * (entry.name == "stays"))'
        path.write_text(path.read_text().replace("os.unlink(entry.path)", removed))

    monkeypatch.setattr(walls, "copy_worker", copy_worker)
    leaves = solution("one", "open('stays', 'w').close()\ndef f(x): return x")
    looks = solution("one", "def f(x): return os.listdir()")
    with Server(walls.choose(), LIMITS) as server:
        with student(server, leaves) as each:
            assert torch.equal(each.call("f", torch.ones(2)).value, torch.ones(2))
        folder = server._folder
        with student(server, looks) as each:
            assert each.call("f", torch.ones(2)).value == []
    assert not folder.exists()
