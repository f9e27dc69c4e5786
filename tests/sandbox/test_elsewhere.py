"""The device that is not there does what a GPU does; torch's own fake tensors are the witness."""

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import Variable  # noqa: F401 (in the table below)

from autograder.sandbox.elsewhere import OTHER, AnotherDevice
from autograder.sandbox.session import How, Session

F = nn.functional
# The only device that torch can fake without being built for it. Its rules are those of CUDA: they
# are written down once for all devices that are not the CPU.
FAKE = "lazy"

# `gpu` and `cpu` are (2, 3), the rest of a name says what else they are.
ALLOWED = {
    "computed": "(gpu.softmax(-1) @ gpu.T).sqrt()",
    "one_of_several": "gpu.max(-1).values",
    "a_view": "gpu.transpose(0, 1)[0]",
    "a_row_of_a_loop": "next(iter(gpu))",
    "made_like_it": "torch.zeros_like(gpu)",
    "made_new": "gpu.new_zeros(4)",
    "made_there": "torch.ones(2, 3, device=gpu.device) + gpu",
    "made_like_it_on_the_cpu": "torch.ones_like(gpu, device='cpu')",
    "type_as": "cpu.type_as(gpu)",
    "Variable": "Variable(gpu)",
    "Parameter": "nn.Parameter(gpu)",
    "data": "gpu.data",
    "to_another": "cpu.to(gpu)",
    "to_device_and_dtype": "cpu.to(gpu.device, torch.float64)",
    "to_dtype": "gpu.to(torch.float64)",
    "to_the_cpu": "gpu.cpu()",
    "back_to_the_cpu": "gpu.to('cpu')",
    "indexed_by_the_cpu": "gpu[cpu_rows]",
    "indexed_by_the_gpu": "gpu[gpu_rows]",
    "expand_as": "cpu[:1].expand_as(gpu)",
    "expand_as_on_the_gpu": "gpu[:1].expand_as(cpu)",
    "view_as": "cpu.view_as(gpu)",
    "reshape_as": "gpu.reshape_as(cpu)",
    "copy_from_the_cpu": "gpu.copy_(cpu)",
    "copy_to_the_cpu": "cpu.copy_(gpu)",
    "slice_from_the_cpu": "assigned(gpu, 0, cpu[0])",
    "slice_to_the_cpu": "assigned(cpu, slice(None), gpu)",
    "mask_of_the_cpu": "assigned(gpu, cpu_mask, 0.0)",
    "mask_of_the_cpu_and_a_number": "assigned(gpu, cpu_mask, cpu_number)",
    "number_by_rows_of_the_gpu": "assigned(cpu, gpu_rows, 0.0)",
    "number_by_a_mask_of_the_gpu": "assigned(cpu, gpu_mask, 0.0)",
    "a_number_of_the_cpu": "gpu * cpu_number + gpu.masked_fill(gpu_mask, cpu_number)",
    "where_with_a_number": "torch.where(gpu_mask, gpu, cpu_number)",
    "a_module_made_there": "nn.Linear(3, 4, device=gpu.device)(gpu)",
    "stacked": "torch.stack([gpu, gpu])",
    "dropped": "F.dropout(gpu, 0.5)",
}
REFUSED = {
    "sum": "gpu + cpu",
    "in_place": "cpu.add_(gpu)",
    "matmul": "gpu @ cpu.T",
    "einsum": "torch.einsum('ij, kj -> ik', gpu, cpu)",
    "cat": "torch.cat([gpu, cpu])",
    "stack": "torch.stack(tensors=[cpu, gpu])",
    "where": "torch.where(cpu_mask, gpu, gpu)",
    "masked_fill": "gpu.masked_fill(cpu_mask, 0.0)",
    "masked_fill_by_name": "gpu.masked_fill(mask=cpu_mask, value=0.0)",
    "values_of_the_cpu": "assigned(gpu, gpu_rows, cpu)",
    "gather": "gpu.gather(0, cpu.long())",
    "embedding": "F.embedding(cpu_rows, gpu)",
    "linear": "F.linear(gpu, cpu)",
    "a_module_made_here": "nn.Linear(3, 4)(gpu)",
    "a_number_of_the_gpu": "cpu * gpu[0, 0]",
    "moved_halfway": "gpu.cpu() + gpu",
}
# The witness has no values and no names of types, and lets indices lie anywhere.
NOT_FAKED = {
    "a_number_as_index": "gpu * cpu[gpu_rows[0]].to(gpu)",
    "a_module_that_moved": "nn.Linear(3, 4).to(gpu.device)(gpu)",
    "indexed_by_a_mask": "gpu[cpu_mask]",
    "type_of_another": "cpu.type(gpu.type())",
    "type_by_name": "cpu.type('torch.cuda.DoubleTensor')",
    "a_type": "cpu.type(torch.cuda.FloatTensor)",
    "when_it_is_cuda": "cpu.cuda() if gpu.is_cuda else cpu",
    "mapped": "torch.vmap(lambda row: row * 2)(gpu)",
}
NOT_SEEN = {
    "index_of_the_gpu": "cpu[gpu_rows]",
    "mask_of_the_gpu": "cpu[gpu_mask]",
    "values_by_a_mask_of_the_gpu": "assigned(cpu, gpu_mask, gpu.flatten())",
}


def assigned(tensor, index, value):
    tensor[index] = value
    return tensor


def result_of(code, there):
    """Whether the result lies there, or None where the devices may not be mixed."""
    cpu, cpu_rows = torch.ones(2, 3), torch.tensor([0, 1])
    names = {"cpu": cpu, "cpu_rows": cpu_rows, "cpu_mask": cpu.bool(), "cpu_number": cpu[0, 0]}
    names |= {"gpu": there(cpu), "gpu_rows": there(cpu_rows), "gpu_mask": there(cpu.bool())}
    try:
        return eval(code, globals(), names)
    except RuntimeError as error:
        said = str(error)
        assert "same device" in said or "device between self" in said, said
        assert "meta" not in said
        return None


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
