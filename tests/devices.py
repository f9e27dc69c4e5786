"""What a GPU allows and refuses, in code: for the device that is not there, and for a real one."""

import torch
from torch import nn
from torch.autograd import Variable  # noqa: F401 (in the table below)

F = nn.functional

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
    "slices_scattered": "cpu.slice_scatter(gpu)",
    "put_by_rows_of_the_cpu": "gpu.index_put((cpu_rows,), gpu)",
    "put_a_number": "gpu.index_put_((cpu_rows,), cpu_number)",
    "padded_from_both": "nn.utils.rnn.pad_sequence([gpu[0], cpu[0]])",
    "one_of_two_made_deeper": "torch.atleast_3d(cpu, gpu)[0]",
    "the_smaller_of_a_number": "torch.minimum(cpu_number, gpu)",
    "a_number_summed": "sum(gpu[0], torch.tensor(0.0))",
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
    "put_from_the_cpu": "gpu.index_put((gpu_rows,), cpu)",
}
# torch's fake tensors have no values and no names of types, let indices lie anywhere, and know
# little of numbers and modules.
NOT_FAKED = {
    "a_number_as_index": "gpu * cpu[gpu_rows[0]].to(gpu)",
    "a_module_that_moved": "nn.Linear(3, 4).to(gpu.device)(gpu)",
    "indexed_by_a_mask": "gpu[cpu_mask]",
    "type_of_another": "cpu.type(gpu.type())",
    "type_by_name": "cpu.type('torch.cuda.DoubleTensor')",
    "a_type": "cpu.type(torch.cuda.FloatTensor)",
    "when_it_is_cuda": "cpu.cuda() if gpu.is_cuda else cpu",
    "mapped": "torch.vmap(lambda row: row * 2)(gpu)",
    "filled_with_a_number_of_the_gpu": "cpu.fill_(gpu[0, 0]).to(gpu)",
    "selected_and_scattered": "torch.select_scatter(gpu, cpu[0], 0, 0)",
    "drawn_from_the_cpu": "gpu.bernoulli_(cpu * 0.5)",
    "narrowed_from_a_place_there": "cpu.narrow(0, gpu_rows[0], 1).to(gpu)",
    "split_at_places_of_the_cpu": "gpu.tensor_split(cpu_rows)[1]",
    "a_module_moved_like_a_tensor": "nn.Linear(3, 4).to(gpu)(gpu)",
}
NOT_SEEN = {
    "index_of_the_gpu": "cpu[gpu_rows]",
    "mask_of_the_gpu": "cpu[gpu_mask]",
    "values_by_a_mask_of_the_gpu": "assigned(cpu, gpu_mask, gpu.flatten())",
    "added_to_a_number_of_the_cpu": "added(torch.tensor(0.0), gpu.sum())",
    "stacked_with_a_number": "torch.stack([gpu[0, 0], cpu_number])",
    "clamped_by_a_number": "gpu.clamp(min=cpu_number)",
    "gathered_by_a_number": "gpu[0].gather(0, cpu_rows[0])",
    "loss_of_a_number": "F.smooth_l1_loss(gpu[0, 0], cpu_number)",
    "a_module_moved_like_one_of_the_cpu": "nn.Linear(3, 4).to(cpu)(gpu)",
}


def assigned(tensor, index, value):
    tensor[index] = value
    return tensor


def added(tensor, other):
    tensor += other
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
        told = "same device", "device between self", "two different devices"
        assert any(each in said for each in told), said
        assert "meta" not in said
        return None
