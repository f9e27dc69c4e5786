"""What a function may return instead of what is right: each is wrong, and none is our fault.

Expressions of `right`, what the reference returned, and of `each`, which applies a function to
every tensor in it.
"""

from copy import deepcopy

import nbformat

PRELUDE = """
import torch, numpy, collections
def _each(function, value):
    if isinstance(value, torch.Tensor):
        return function(value.detach())
    if isinstance(value, (tuple, list)):
        return type(value)(_each(function, part) for part in value)
    if isinstance(value, dict):
        return {key: _each(function, part) for key, part in value.items()}
    return value
class _Sub(torch.Tensor): pass
class _Everything:
    def __eq__(self, other): return True
    def __hash__(self): return 1
"""
PLAIN = [
    *(
        "None",
        "True",
        "False",
        "0",
        "-1",
        "10**400",
        "2**63",
        "1.5",
        "float('nan')",
        "float('inf')",
    ),
    *("1j", "'text'", "'\\ud800'", "b'bytes'", "object()", "_Everything()", "lambda: right", "int"),
    *("...", "torch", "torch.float32", "torch.Size([2])", "torch.device('cpu')", "slice(2)"),
    *(
        "numpy.float64(1)",
        "numpy.zeros(3)",
        "range(3)",
        "iter([right])",
        "(each for each in [right])",
    ),
    *("torch.empty((), device='meta')", "[[0] * 1000] * 6"),
    *("[]", "()", "{}", "set()", "[right]", "(right,)", "(right, right)", "(right, right, right)"),
    *("(None, None)", "[None] * 3", "{0: right}", "{'a': right, 1: right}", "{(1, 2): right}"),
    *("{None: None}", "{float('nan'): right}", "{_Everything(): right}", "{'weight': 1}"),
    *("{'weight': right}", "[[[[[[[[[[right]]]]]]]]]]", "collections.OrderedDict(a=right)"),
]
TENSORS = [
    *("x.float()", "x.half()", "x.bfloat16()", "x.double()", "x.long()", "x.int()", "x.bool()"),
    *("x.to(torch.uint8)", "x.to(torch.uint16)", "x.to(torch.uint64)", "x.to(torch.complex64)"),
    *(
        "x.to(torch.float8_e4m3fn)",
        "x.to(torch.float8_e5m2)",
        "x.to('meta')",
        "x.float().to('meta')",
    ),
    *(
        "x.new_empty(0)",
        "x.new_empty(0, 3)",
        "x.new_empty((2, 0, 3))",
        "x.new_zeros(())",
        "x[None]",
    ),
    *("x.flatten()", "x.sum()", "x.double() * float('nan')", "x.double() / 0", "-x.double()"),
    *(
        "torch.zeros_like(x)",
        "torch.ones_like(x)",
        "x.clone().requires_grad_(x.is_floating_point())",
    ),
    *("torch.nn.Parameter(x, x.is_floating_point())", "x.to_sparse()", "x.expand(2, *x.shape)"),
    *("x.mT if x.dim() > 1 else x", "x.flip(0) if x.dim() else x", "x.new_zeros(1).expand(10**9)"),
    *("torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8)", "x.as_subclass(_Sub)"),
    *(
        "torch.nested.nested_tensor([x.float(), x.float()])",
        "torch.complex(x.double(), x.double()).conj()",
    ),
    *("x.rename(*'abcdefgh'[:x.dim()]) if x.dim() else x", "x.numpy()", "x.tolist()", "str(x)"),
    *(
        "torch.full_like(x, 2**62) if x.dtype == torch.long else x.double() * 1e308",
        "x.cpu().shape",
    ),
    *("torch.zeros(x.shape, dtype=torch.float64)", "torch.randn(5)", "torch.tensor('' == 'a')"),
]
VALUES = PLAIN + [f"_each(lambda x: {each}, right)" for each in TENSORS]


def targets(exam):
    """All that the checks of an assignment call: functions, and the methods of classes."""
    asked = [question.target for question in exam.foreseen]
    classes = {each.name for each in asked if not isinstance(each, str)}
    names = (each if isinstance(each, str) else f"{each.name}.{each.method}" for each in asked)
    return [name for name in dict.fromkeys(names) if name not in classes]


def returning(right, expression, names):
    """The right notebook, in which these return something else."""
    cells = [PRELUDE]
    for name in names:
        method = name.rpartition(".")[2]
        cells.append(
            f"def _make(was):\n    def {method}(*args, **kwargs):\n"
            f"        right = was(*args, **kwargs)\n        return {expression}\n"
            f"    return {method}\n{name} = _make({name})"
        )
    notebook = deepcopy(right)
    notebook.cells.append(nbformat.v4.new_code_cell("\n".join(cells), id="odd"))
    return notebook
