"""The device that is not there does what a GPU does; torch's own fake tensors are the witness."""

import pytest
import torch
from devices import ALLOWED, NOT_FAKED, NOT_SEEN, REFUSED, result_of
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from autograder.sandbox.elsewhere import OTHER, AnotherDevice
from autograder.sandbox.how import How
from autograder.sandbox.session import Session

# The only device that torch can fake without being built for it. Its rules are those of CUDA: they
# are written down once for all devices that are not the CPU.
FAKE = "lazy"


def on_the_witness(code):
    with FakeTensorMode():
        result = result_of(code, lambda tensor: tensor.to(FAKE))
        return None if result is None else result.device.type == FAKE


def on_ours(code):
    with AnotherDevice() as device:
        result = result_of(code, device.taken)
        if result is None:
            return None
        assert (result.device == OTHER) == device.has(result)
        return device.has(result)


@pytest.mark.parametrize("code", ALLOWED.values(), ids=ALLOWED)
def test_what_a_gpu_allows(code):
    assert on_ours(code) is on_the_witness(code) is not None


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_what_a_gpu_refuses(code):
    assert on_ours(code) is on_the_witness(code) is None


@pytest.mark.parametrize("code", NOT_FAKED.values(), ids=NOT_FAKED)
def test_what_a_gpu_allows_and_the_witness_cannot_try(code):
    assert on_ours(code) is True


@pytest.mark.parametrize("code", NOT_SEEN.values(), ids=NOT_SEEN)
def test_what_a_gpu_refuses_and_the_witness_does_not(code):
    assert on_ours(code) is None


@pytest.mark.parametrize(
    "code",
    [
        "torch.tensor([gpu[0, 0], gpu[0, 1]])",
        "torch.tensor(gpu.tolist())",
        "torch.full((2,), gpu_rows[0])",
        "torch.arange(gpu_rows[1])",
        "cpu.type('torch.DoubleTensor')",
        "gpu.type(torch.FloatTensor)",
        "torch.Tensor(2, 3)",
    ],
)
def test_made_of_numbers_it_is_on_the_cpu(code):
    assert on_ours(code) is False


@pytest.mark.parametrize("code", ["gpu.numpy()", "__import__('numpy').asarray(gpu)"])
def test_numpy_has_to_be_asked_for_by_way_of_the_cpu(code):
    with pytest.raises(TypeError, match=r"Use Tensor.cpu\(\) to copy"):
        on_ours(code)
    with AnotherDevice() as device:
        assert result_of("gpu.cpu().numpy()", device.taken).sum() == 6


def test_a_move_is_a_copy():
    with AnotherDevice() as device:
        here = torch.zeros(2)
        for moved in (here.to(OTHER), here.cuda(), device.taken(here)):
            moved += 1
            back = moved.cpu()
            back += 1
            assert (here.tolist(), moved.tolist()) == ([0, 0], [1, 1])
        assert here.to(OTHER).requires_grad_().sum().backward() is None
        assert here.to("cpu") is here


def test_a_module_takes_its_parameters_along_and_no_other_tensor():
    layer = nn.Linear(2, 2)
    layer.register_buffer("table", torch.ones(2))
    layer.constant = torch.ones(2)
    layer.again = nn.Module()
    layer.again.weight = layer.weight
    with AnotherDevice() as device:
        layer.to(OTHER)
        assert all(map(device.has, layer.state_dict().values()))
        assert not device.has(layer.constant)
    assert layer.again.weight is layer.weight
    assert isinstance(layer.weight, nn.Parameter)
    assert layer.weight.device == torch.device("cpu")  # it was a label, and is gone


def test_an_address_that_is_used_again_is_not_there():
    with AnotherDevice() as device:
        for _ in range(100):
            device.taken(torch.ones(1000))
            assert not device.has(torch.ones(1000))


def test_what_a_function_keeps_lies_there_in_its_next_call():
    session = Session()
    session.cell("one", "kept = []\ndef f(x): kept.append(x); return kept[0]")
    answers = [session.call("f", [torch.ones(2)], {}, How(elsewhere=True)) for _ in range(2)]
    assert [each.elsewhere for each in answers] == [(True,), (True,)]


@pytest.mark.parametrize("made", ["torch.ones(0, device=x.device)", "x[:0]", "x"])
def test_a_result_that_lies_there(made):
    assert answer_of(made).elsewhere == (True,)


@pytest.mark.parametrize("made", ["None", "3", "torch.ones(0)", "x.to_sparse()"])
def test_a_result_that_does_not(made):
    assert answer_of(made).elsewhere == (False,)


@pytest.mark.parametrize(
    ("made", "there"),
    {
        "torch.ones(2, device=device)": True,
        "torch.arange(3).to(device)": True,
        "torch.tensor([[True]], device=device)": True,
        "torch.zeros(2, device=torch.get_default_device())": True,
        "torch.ones(2, device=device or 'cpu')": False,
        "torch.from_numpy(__import__('numpy').ones(2))": False,
    }.items(),
)
def test_a_call_with_no_device_asks_for_the_default_one(made, there):
    assert answer_of(made, device=None).elsewhere == (there,)
    assert torch.get_default_device() == torch.device("cpu")


def test_the_default_device_is_here_where_one_is_asked_for():
    assert answer_of("torch.ones(2)", device="cuda").elsewhere == (False,)


def answer_of(made, **options):
    session = Session()
    session.cell("one", f"import torch\ndef f(x, device=None): return {made}")
    answer = session.call("f", [torch.ones(2)], options, How(elsewhere=True))
    assert answer.failure is None
    return answer
