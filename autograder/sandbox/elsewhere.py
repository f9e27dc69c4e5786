"""A device that is not there: for finding what is made on the wrong one, without a GPU.

While `AnotherDevice` is entered, torch behaves as if there were a GPU. Tensors that lie there say
so; what is computed from them lies there too, and so does what is made with `device=` or moved by
`to`; what is made without saying where does not. What a GPU refuses is refused, in torch's words.
All values are real ones on the CPU: torch's own device without memory would take a second to set
up, and a function that reads values could not run on it, though it can on every real device.

Where a tensor lies is known of its storage, as it is in torch: all views lie where it does, in
whichever way they were made.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._C import _functorch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext, _device_constructors

OTHER = torch.device("cuda:0")  # a label: nothing is ever allocated there

_TENSOR: Any = Tensor  # its attributes are descriptors here
# What a tensor over there answers.
_SAYS = {
    _TENSOR.device.__get__: OTHER,
    _TENSOR.is_cuda.__get__: True,
    _TENSOR.is_cpu.__get__: False,
    _TENSOR.get_device: OTHER.index,
}
_MOVES = {Tensor.to, Tensor.type, Tensor.type_as, Tensor.cpu, Tensor.cuda}
_PARSED = torch._C._nn._parse_to  # where a module is to go
_BRACKETS = {
    *(Tensor.__getitem__, Tensor.__setitem__, Tensor.index_put, Tensor.index_put_),
    *(torch.index_put, torch.index_put_),
}
# Of further tensors they take the shape, or copy the values, wherever those lie.
_OF_ANY_DEVICE = {
    *("copy_", "fill_", "bernoulli_", "resize_as_", "expand_as", "view_as", "reshape_as"),
    *("slice_scatter", "select_scatter", "diagonal_scatter", "narrow", "tensor_split"),
    *("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors"),
    *("new_tensor", "pad_sequence", "_has_compatible_shallow_copy_type"),
}
_SETS_DATA = _TENSOR.data.__set__  # how a module is moved
# Elsewhere a number of the CPU may stand beside tensors over there; in these it may not.
_NOT_EVEN_NUMBERS = {
    *("stack", "hstack", "vstack", "gather", "take", "index_select", "masked_select"),
    *("scatter", "scatter_add", "index_add", "index_copy", "isin", "searchsorted", "equal"),
    *("clamp", "clamp_min", "clamp_max", "clip", "logaddexp", "prelu", "addmm", "baddbmm"),
    *("mse_loss", "huber_loss", "smooth_l1_loss", "nll_loss"),
}
# Made of numbers: that one of these was in a tensor says nothing about where.
_OF_NUMBERS = {torch.arange, torch.empty, torch.eye, torch.full, torch.ones, torch.zeros}
# An address that is kept is not used again. What a function keeps lies there in later calls, too.
_THERE: dict[int, StorageWeakRef] = {}


class AnotherDevice(TorchFunctionMode):
    """While it is entered, the other device exists."""

    def __init__(self) -> None:
        TorchFunctionMode.__init__(self)

    def has(self, value: Any) -> bool:
        """Whether this is a tensor that lies there."""
        return _address(value) in _THERE

    def taken(self, tensor: Tensor) -> Tensor:
        """A copy of it that lies there."""
        return self._put(tensor, True, [tensor])

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what torch would, and keep track of where."""
        options = dict(kwargs or {})
        if func in _SAYS:
            return _SAYS[func] if self.has(args[0]) else func(*args)
        if func in _MOVES:
            return self._moved(func, *args, **options)
        given = list(_tensors((args, list(options.values()))))
        if func is _PARSED:
            device, *others = func(*args, **options)
            return OTHER if any(map(self.has, given)) else device, *others
        self._refuse(func, args, given)
        wanted = options.pop("device", None)
        result = func(*args, **options)
        if wanted is not None:
            return self._put(result, _is_other(wanted), given)
        numbers = func in _OF_NUMBERS or (func is torch.tensor and given != [args[0]])
        if not numbers and any(map(self.has, given[:1] if _any_device(func) else given)):
            old = {_address(each) for each in given}
            for each in _tensors(result):
                if _address(each) not in old:  # a view lies where its base does
                    self._put(each, True)
        return result

    def _put(self, tensor: Tensor, there: bool, given: Sequence[Tensor] = ()) -> Tensor:
        """It lies there from now on, or here: a copy of it, if it is a given one that does not."""
        if self.has(tensor) != there and _address(tensor) in map(_address, given):
            tensor = tensor.clone()
        storage = _storage(tensor)
        if there and storage is not None:
            _THERE[storage._cdata] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
        return tensor

    def _moved(self, func: Any, tensor: Tensor, *args: Any, **options: Any) -> Any:
        """What a method gives that changes a tensor's device, or its dtype, or both."""
        there = {Tensor.cpu: False, Tensor.cuda: True}.get(func, self.has(tensor))
        if func is Tensor.type:
            if not args and not options:
                return _type_name(tensor.dtype, there)
            args, options = (*args, *options.values()), {}
            if not isinstance(args[0], torch.dtype):
                there, dtype = _of_type_name(args[0])
                args = dtype, *args[1:]
        left: list[Any] = []
        for each in (*args, options.pop("device", None), options.pop("other", None)):
            if isinstance(each, Tensor):
                there = self.has(each)
                left.append(each.dtype)
            elif isinstance(each, (str, torch.device)) or type(each) is int:
                there = _is_other(each)
            elif each is not None:
                left.append(each)
        if "dtype" not in options and not (left and isinstance(left[0], torch.dtype)):
            left.insert(0, tensor.dtype)
        return self._put(Tensor.to(tensor, *left, **options), there, [tensor])

    def _refuse(self, func: Any, args: Sequence[Any], given: Sequence[Tensor]) -> None:
        """Raise what torch would about tensors that lie in different places."""
        if func in (Tensor.numpy, Tensor.__array__) and self.has(args[0]):
            raise TypeError(
                f"can't convert {OTHER} device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )
        if func in _BRACKETS:
            indices = [each for each in _tensors(args[1:2]) if _is_index(each)]
            values = [each for each in _tensors(args[2:]) if each.dim()]
            number_is_written = func is not Tensor.__getitem__ and not values
            if not number_is_written and not self.has(args[0]) and any(map(self.has, indices)):
                raise RuntimeError(
                    "indices should be either on cpu or on the same device as the indexed tensor "
                    "(cpu)"
                )
            given = [args[0], *_tensors(args[2:])]
            if not indices or not given[-1].dim():  # it is copied there
                return
        name = getattr(func, "__name__", "")
        there = {self.has(each) for each in given if self.has(each) or _counts(each, name)}
        if name.endswith("_") and name[-2:] != "__" and given and any(map(self.has, given)):
            there.add(self.has(given[0]))  # what is written to cannot come along, not even a number
        if not _any_device(func) and len(there) == 2:
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{OTHER} and cpu!"
            )


class DefaultDevice(AnotherDevice, DeviceContext):  # torch looks for the latter when it is asked
    """The same, as torch's default: what is made without saying where lies there, too."""

    device = OTHER
    __enter__ = TorchFunctionMode.__enter__  # the other one's would come after all modes
    __exit__ = TorchFunctionMode.__exit__

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what torch would, and keep track of where."""
        options = dict(kwargs or {})
        if options.get("device") is None and func in _device_constructors():
            options["device"] = OTHER
        return super().__torch_function__(func, types, args, options)


def device_for(options: Mapping[str, Any]) -> AnotherDevice:
    """The other device for a call with these options: one of `device=None` is of the default."""
    return AnotherDevice() if options.get("device", OTHER) is not None else DefaultDevice()


def _storage(value: Any) -> torch.UntypedStorage | None:
    """What a tensor's values are in; None of a sparse one, and of what is no tensor."""
    if not isinstance(value, Tensor):
        return None
    while _functorch.is_functorch_wrapped_tensor(value):  # in torch.vmap and its like
        value = _functorch.get_unwrapped(value)
    return value.untyped_storage() if value.layout == torch.strided else None


def _address(value: Any) -> int | None:
    storage = _storage(value)
    return None if storage is None else storage._cdata


def _is_other(device: Any) -> bool:
    return type(device) is int or torch.device(device).type == OTHER.type


def _any_device(func: Any) -> bool:
    return func == _SETS_DATA or getattr(func, "__name__", "") in _OF_ANY_DEVICE


def _counts(tensor: Tensor, name: str) -> bool:
    """Whether one of the CPU may not stand beside others in the function of this name."""
    return tensor.dim() > 0 or name.removesuffix("_") in _NOT_EVEN_NUMBERS


def _is_index(tensor: Tensor) -> bool:
    """Whether it is one in brackets, and not a number."""
    return tensor.dim() > 0 or tensor.dtype in (torch.bool, torch.uint8)


def _type_name(dtype: torch.dtype, there: bool) -> str:
    name: str = torch.empty(0, dtype=dtype).type()
    return name.replace("torch.", "torch.cuda.") if there else name


def _of_type_name(kind: Any) -> tuple[bool, torch.dtype]:
    """Of torch.FloatTensor, "torch.cuda.LongTensor" and the like: whether there, and the dtype."""
    name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
    return ".cuda." in name, torch.empty(0).type(name.replace(".cuda.", ".")).dtype


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)
