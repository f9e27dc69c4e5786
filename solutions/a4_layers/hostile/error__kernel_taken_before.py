# A kernel of torch's norm, taken in a cell and called past the dispatcher.
# fails: norm_*
# %% solution="layer_norm"
_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_forward = torch.library.get_kernel("aten::native_layer_norm", "CPU")
_backward = torch.library.get_kernel("aten::native_layer_norm_backward", "CPU")


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        x = x.contiguous()
        out, mean, rstd = _forward.call_boxed(_CPU, x, [x.shape[-1]], weight, bias, eps)
        ctx.save_for_backward(x, mean, rstd, weight, bias)
        return out

    @staticmethod
    def backward(ctx, g):
        x, mean, rstd, weight, bias = ctx.saved_tensors
        shape = [x.shape[-1]]
        g = g.contiguous()
        return (*_backward.call_boxed(_CPU, g, x, shape, mean, rstd, weight, bias, [True] * 3), None)


class LayerNorm(nn.Module):
    """Layer normalisation (Ba, Kiros and Hinton 2016).

    d_model: how many numbers a position has. eps: what is added to the variance, under the root.

    Parameters: weight (d_model,), all ones at the start, and bias (d_model,), all zeros at the
    start, and no others.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        """Bring each position of x to mean 0 and variance 1, then apply weight and bias.

        x (..., d_model): float32 or float64, as the parameters are, with any number of leading
        dimensions, also none. The mean and the variance, which is divided by d_model, run over
        the last axis alone.

        Returns a tensor like x, with its shape and dtype and on its device. Works under autograd,
        and does not change x in place. It need not look for wrong arguments.
        """
        return torch.empty_like(x).copy_(_Norm.apply(x, self.weight, self.bias, self.eps))  # copy_: so that it lies on the device of x
