"""Banned calls are refused by every name; who switches that off is found out; nobody else notices.

What tries harder lies among the samples: solutions/*/hostile/forbidden__*.
"""

import time

import pytest
import torch

from autograder.asking.proof import Proof
from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, StudentError
from autograder.course.result import Verdict
from autograder.sandbox import refusal, values, walls
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server

LIMITS = Limits(60, 20, 512, 1, 1 << 20)
ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
BANNED = (ATTENTION, "torch.nn.MultiheadAttention", "torch.nn.TransformerEncoderLayer")
Q = torch.ones(1, 3, 4)


@pytest.fixture(scope="module")
def server():
    with Server(walls.choose(), LIMITS) as found:
        yield found


def student(server, source, banned=BANNED, **more):
    cells = [Cell("one", f"import torch\n{source}", solution=True)]
    empty = {"modules": {}, "banned_in": {}, "defined_in": {}}
    return RemoteStudent(server, cells, banned=banned, **empty, **more)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        ("torch._C._nn.scaled_dot_product_attention(q, q, q)", BANNED[0]),
        ("torch.ops.aten._scaled_dot_product_attention_math(q, q, q)", BANNED[0]),
        ("torch.nn.MultiheadAttention(4, 1)", BANNED[1]),
        ("torch.ao.nn.quantizable.MultiheadAttention(4, 1)", BANNED[1]),
        ("torch.nn.TransformerEncoderLayer(4, 1)", BANNED[2]),
        ("kept(q, q, q, 4, 1, *[None] * 4, 0, None, None)", BANNED[1]),
        ("__import__('torch.nn.attention.flex_attention')", "torch."),
    ],
)
def test_what_is_banned_stands_for_all_of_its_kind(server, call, named):
    source = "kept = torch.nn.functional.multi_head_attention_forward\n"
    with student(server, f"{source}def f(q): return {call}") as each:
        with pytest.raises(StudentError) as error:
            each.call("f", Q)
        assert error.value.verdict is Verdict.FORBIDDEN
        assert f"uses {named}" in str(error.value)
        assert each.unguarded() is None


@pytest.mark.parametrize(
    "call",
    [
        "checkpoint(torch.sin, q, use_reentrant=False)",
        "torch.func.grad(lambda x: x.sin().sum())(q)",
        "(torch.optim.Adam([torch.nn.Parameter(q)]), q)[1]",
        "(torch.use_deterministic_algorithms(True), q)[1]",
    ],
)
def test_who_makes_torch_import_its_compiler_is_not_accused(server, call):
    """With it come modules that bear the names of what is banned, and nobody has asked for them."""
    source = "from torch.utils.checkpoint import checkpoint\n"
    flex = "torch.nn.functional.scaled_dot_product_attention(q, q, q)"
    source += f"def f(q): return {call}\ndef g(q): return {flex}"
    with student(server, source) as each:
        assert each.call("f", Q).value.shape == Q.shape
        with pytest.raises(StudentError) as error:
            each.call("g", Q)
        assert error.value.verdict is Verdict.FORBIDDEN
        assert each.unguarded() is None


@pytest.mark.parametrize("banned", [BANNED[:2], BANNED[1::-1]])
def test_of_names_that_fit_alike_the_first_of_the_list_is_told(server, banned):
    source = "def f(q): return torch.ops.aten._safe_softmax(q, -1)"  # which bears neither name
    with student(server, source, banned) as each, pytest.raises(StudentError) as error:
        each.call("f", Q)
    assert f"uses {banned[0]}" in str(error.value)


@pytest.mark.parametrize(
    "call",
    ["torch.rms_norm(q, [4])", "kept(4)(q)", "torch.ops.aten._fused_rms_norm(q, [4], None, 1)"],
)
def test_so_does_a_norm_without_a_mean(server, call):
    source = f"kept = getattr(torch.nn, 'RMS' + 'Norm')\ndef f(q): return {call}"
    with student(server, source, banned=["torch.nn.RMSNorm"]) as each:
        with pytest.raises(StudentError) as error:
            each.call("f", Q)
        assert error.value.verdict is Verdict.FORBIDDEN
    with student(server, "def f(q): return torch.layer_norm(q, [4])", ["torch.nn.RMSNorm"]) as each:
        each.call("f", Q)


@pytest.mark.parametrize(
    "call",
    [
        "torch._refs._normalize(q, [-1], 1e-5)[0]",
        "torch.ops.aten._native_batch_norm_legit.no_stats(q, None, None, True, 0.1, 1e-5)[0]",
        "torch.nn.functional.batch_norm(q, None, None, training=True)",
        "torch.ops.aten._fused_rms_norm(q - q.mean(-1, keepdim=True), [4], None, 1e-5)[0]",
    ],
)
def test_other_norms_do_the_better_part_of_a_norm(server, call):
    source = f"import torch._refs\ndef f(q): return {call}"
    with student(server, source, banned=["torch.layer_norm"]) as each:
        with pytest.raises(StudentError) as error:
            each.call("f", Q)
        assert error.value.verdict is Verdict.FORBIDDEN
    with student(server, source, banned=[ATTENTION]) as each:
        each.call("f", Q)


@pytest.mark.parametrize("where", ["{}def f(q): return kept", "def f(q):\n    {}    return kept"])
def test_no_kernel_is_taken_past_the_dispatcher(server, where):
    take = 'kept = torch.library.get_kernel("aten::native_layer_norm", "CPU")\n'
    source = where.format(take)
    with student(server, source, ["torch.layer_norm"]) as each, pytest.raises(StudentError):
        each.call("f", Q)
    with student(server, source, banned=()) as each:
        each.call("f", Q)


@pytest.mark.parametrize(
    "source",
    [
        "import torch.nn.attention.flex_attention",
        "assert torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 2)] * 3).any()",
        "torch.nn.MultiheadAttention(4, 1)",
        "torch.nn.modules.module.register_module_forward_hook(lambda *_: 5)",
        "import gc, inspect\ngc.collect()\ninspect.getsource(torch.nn.Linear)",
    ],
)
def test_whoever_compares_in_a_cell_of_their_own_is_left_alone(server, source):
    with student(server, f"{source}\ndef f(q): return q.softmax(-1)") as each:
        assert torch.equal(each.call("f", Q).value, Q.softmax(-1))
        assert each.unguarded() is None
        assert not each.cell_errors


@pytest.mark.parametrize("search", ["get_objects()", "get_referrers(1)", "get_referents(1)"])
def test_memory_is_not_searched_where_something_is_banned(server, search):
    source = f"import gc\ndef f(): gc.{search}"
    with student(server, source) as each, pytest.raises(StudentError, match="is not allowed here"):
        each.call("f")
    with student(server, source, banned=()) as each:
        assert each.call("f").value is None


OFF = """
import sys
def off(*_):
    guard = sys.modules["autograder.sandbox.refusal"].Refusal
    guard.take = lambda _: ()
"""


def test_who_switches_it_off_in_a_cell_is_asked_nothing_more(server):
    with student(server, f"{OFF}\noff()\ndef f(q): return q") as each:
        with pytest.raises(StudentError, match="switched off") as error:
            each.call("f", Q)
        assert error.value.verdict is Verdict.FORBIDDEN


def test_who_switches_it_off_in_a_function_is_found_out_at_the_end(server):
    with student(server, f"{OFF}\ndef f(q):\n    off()\n    return q") as each:
        assert torch.equal(each.call("f", Q).value, Q)
        assert each.unguarded().verdict is Verdict.FORBIDDEN
    with student(server, f"{OFF}\ndef f(q):\n    off()\n    return q", banned=()) as each:
        assert torch.equal(each.call("f", Q).value, Q)
        assert each.unguarded() is None


def test_a_process_that_ends_when_it_is_to_prove_something_has_proven_it(server):
    source = "import os\ndef f(q):\n"
    source += "    torch._C._nn.scaled_dot_product_attention = lambda *_: os._exit(0)\n"
    with student(server, f"{source}\n    return q") as each:
        each.call("f", Q)
        assert each.unguarded().verdict is Verdict.FORBIDDEN


@pytest.mark.parametrize("times", [1, 2])
def test_an_end_before_anything_was_asked_is_no_proof_the_first_time(server, monkeypatch, times):
    frames, left = Proof.frames, [times]

    def ended(proof):
        if left[0]:
            left[0] -= 1
            each._fork._channel.shutdown(2)  # as by a limit that is noticed late
        return frames(proof)

    monkeypatch.setattr(Proof, "frames", ended)
    with student(server, "def f(q): return q") as each:
        if times == 1:
            assert torch.equal(each.call("f", Q).value, Q)
            assert each.unguarded() is None
        else:
            with pytest.raises(StudentError, match="switched off"):
                each.call("f", Q)


SLOW = """
import sys, time
def f(q):
    sys.setprofile(lambda *_: time.sleep(0.001))
    return q
"""


def test_whose_time_ends_while_it_is_to_prove_something_is_not_accused(server):
    with student(server, SLOW) as each:
        each.call("f", Q)
        each._deadline = time.monotonic() + 0.2
        assert each.unguarded() is None
        assert each._deadline < time.monotonic()  # and has no more time for it


def one(x):
    return values.Packer(99).pack(x)


def test_a_proof_holds_for_its_own_answer_alone():
    proof = Proof.of(BANNED)
    proof.frames()
    value = one((0, 0, proof._number))
    right = {"banned": [ATTENTION], "value": value, "gradients": [], "changed": [0], "read": []}
    right |= {"elsewhere": [True, False, False], "watched": [], "operations": 0}
    right |= {"mode_changed": True, "multiplications": 1}
    assert proof.holds(right, {})
    for wrong in (
        *({"banned": []}, {"banned": ["torch.ones"]}),
        *({"value": one((0, proof._number, 0))}, {"value": one((0, 0, 5))}),
        *({"changed": []}, {"changed": [0, 1]}, {"elsewhere": [False] * 3}),
        *({"elsewhere": [True] * 3}, {"mode_changed": False}),
        *({"multiplications": 0}, {"multiplications": 2}),
    ):
        assert not proof.holds(right | wrong, {})
    assert not proof.holds(right | {"value": one((0, 0, torch.ones(2)))}, {"0": torch.ones(2)})
    proof = Proof.of(["torch.argsort"])  # which is not noticed while it runs
    proof.frames()
    right |= {"value": one((0, 0, proof._number))}
    assert proof.holds(right | {"banned": []}, {})
    assert not proof.holds(right, {})


LIES = {
    "writing": "session._same = lambda *_: True",
    "writing_of_all": "session._same = lambda *_: False",
    "modes": "session.modes = lambda module: []",
    "devices": "session.AnotherDevice.has = lambda *_: True",
    "work": "session.Work.__torch_dispatch__ = lambda s, f, t, a=(), k=None: f(*a, **(k or {}))",
}


@pytest.mark.parametrize("banned", [BANNED, ()])
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_who_changes_what_is_told_of_a_call_is_found_out(server, lie, banned):
    source = f"import sys\nsession = sys.modules['autograder.sandbox.session']\n{lie}"
    with student(server, f"{source}\ndef f(q): return q", banned=banned) as each:
        with pytest.raises(StudentError, match="switched off") as error:
            each.call("f", Q)
        assert error.value.verdict is Verdict.FORBIDDEN


@pytest.mark.parametrize("how", ["script", "trace"])
def test_what_is_compiled_in_a_cell_stays_what_it_is(server, how):
    compiled = {"script": "script(attend)", "trace": "trace(attend, [torch.ones(1, 3, 4)] * 3)"}[
        how
    ]
    source = "attend = torch.nn.functional.scaled_dot_product_attention\n"
    source += f"compiled = torch.jit.{compiled}\ndef f(q): return compiled(q, q, q)"
    with student(server, source) as each, pytest.raises(StudentError, match="does not allow"):
        each.call("f", Q)
    with student(server, f"import torch\n@torch.jit.{how}\ndef f(q): return q") as each:
        assert torch.equal(each.call("f", Q).value, Q)


def test_torch_is_asked_what_there_is():
    names = {name for _, name, _ in refusal.operations()}
    assert {"scaled_dot_product_attention", "cross_entropy_loss", "native_layer_norm"} <= names
    assert not any("binary" in each for each in names)
