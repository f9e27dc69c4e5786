# The root of the mean square is never below 1e-12.
# fails: rms_eps

# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    """Normalisation by the root of the mean square (Zhang and Sennrich 2019, equation 4).

    d_model: how many numbers a position has. eps: what is added to the mean of the squares, under
    the root.

    Parameter: weight (d_model,), all ones at the start, and no others.
    """

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        """Divide each position of x by the root of the mean of its squares, then apply weight.

        x (..., d_model): float32 or float64, as weight is, with any number of leading dimensions,
        also none. The mean runs over the last axis alone.

        Returns a tensor like x, with its shape and dtype and on its device. Works under autograd,
        and does not change x in place. It need not look for wrong arguments.
        """
        rms = (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()
        return self.weight * (x / rms.clamp(min=1e-12))  # never a division by 0
