# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Convolution by hand
#
# A small pattern slides along a signal and says at every place how well it fits. This is all that
# a convolutional layer does, and here you write one: first the windows that the pattern looks
# through, then the sliding itself, then a layer with weights that can learn.
#
# - Where a cell says `# YOUR CODE HERE`, delete the line `raise NotImplementedError()` and write
#   your own code. The other cells are locked, but you may add cells of your own.
# - **Check cells** try a sample of what the grader tries. The text above each says everything
#   that its item is about.
# - `torch.nn.Conv1d` and its relatives are off the table: `conv1d` in any form everywhere, and
#   `functional.unfold` in `windows`, because they are what you are about to write.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch
from torch import nn

# %% active="ipynb" given="checks"
# from checks import check

# %% [markdown]
# ## Windows
#
# A signal of $t$ numbers has $t - k + 1$ windows of width $k$: the first begins at place 0, the
# next at place 1, and the last ends where the signal ends. Can you name all places of all windows
# at once, as one tensor of row numbers?


# %% solution="windows"
def windows(x, k):
    """Every window of width k, in order.

    x (..., t): float32 or float64; k: an int of at least 1.
    Returns (..., t - k + 1, k): at [..., i, j] the number x[..., i + j].
    Raises ValueError when k is greater than t.
    """
    ### BEGIN SOLUTION
    t = x.shape[-1]
    if k > t:
        raise ValueError(f"a window of {k} does not fit into a signal of {t}")
    starts = torch.arange(t - k + 1)
    return x[..., starts[:, None] + torch.arange(k)]
    ### END SOLUTION


# %% [markdown]
# **The windows.** `windows(x, k)` has the shape `(..., t - k + 1, k)` and the right values, for any
# number of axes before the last, and also for `k = 1` and `k = t`. It leaves `x` as it was.

# %% active="ipynb" check="windows"
# check("windows")

# %% [markdown]
# **Too wide.** When `k` is greater than `t` there is no window at all, and `windows` raises a
# `ValueError`.

# %% active="ipynb" check="windows_too_wide"
# check("windows_too_wide")

# %% [markdown]
# ## The sliding pattern
#
# With several channels a pattern has a row for each of them, and one number comes out for every
# window: all products, added up. With $o$ patterns there are $o$ such numbers:
#
# $$y_{b,o,i} = \sum_{c,j} w_{o,c,j} \; x_{b,c,i+j}$$
#
# Mathematicians call this a cross-correlation, since nothing is turned around. Deep learning calls
# it a convolution all the same.


# %% solution="correlate"
def correlate(x, w):
    """Slide each pattern along each signal.

    x (b, c, t), w (o, c, k): of one floating dtype.
    Returns (b, o, t - k + 1).
    """
    ### BEGIN SOLUTION
    return torch.einsum("bcnk,ock->bon", windows(x, w.shape[-1]), w)
    ### END SOLUTION


# %% [markdown]
# **The values.** `correlate(x, w)` has the shape `(b, o, t - k + 1)` and the right values.

# %% active="ipynb" check="correlate"
# check("correlate")

# %% [markdown]
# **The slopes.** Gradients flow back to `x` and to `w`, and have the right values.

# %% active="ipynb" check="correlate_gradients"
# check("correlate_gradients")

# %% [markdown]
# ## The layer
#
# What is left is to keep the patterns as parameters, to add a bias for each pattern, and to put
# `padding` zeros at both ends of the signal, so that it need not become shorter.


# %% solution="Conv"
class Conv(nn.Module):
    """A convolutional layer.

    Parameters: weight (c_out, c_in, k) and bias (c_out,). Where they start is up to you.
    """

    def __init__(self, c_in, c_out, k, padding=0):
        super().__init__()
        ### BEGIN SOLUTION
        self.weight = nn.Parameter(torch.randn(c_out, c_in, k))
        self.bias = nn.Parameter(torch.zeros(c_out))
        self.padding = padding
        ### END SOLUTION

    def forward(self, x):
        """x (b, c_in, t). Returns (b, c_out, t + 2 * padding - k + 1)."""
        ### BEGIN SOLUTION
        padded = nn.functional.pad(x, (self.padding, self.padding))
        return correlate(padded, self.weight) + self.bias[:, None]
        ### END SOLUTION


# %% [markdown]
# **The parameters.** `Conv(c_in, c_out, k)` has the two parameters `weight` and `bias`, of the
# shapes that its docstring names, and no others.

# %% active="ipynb" check="conv_parameters"
# check("conv_parameters")

# %% [markdown]
# **The layer.** It gives the right values, without padding and with it, and gradients reach the
# signal and both parameters.

# %% active="ipynb" check="conv"
# check("conv")

# %% [markdown]
# ## To look at
#
# A pattern of -1 and 1 says where a signal jumps.

# %% active="ipynb" figure="jumps"
# import matplotlib.pyplot as plt
#
# try:
#     steps = torch.tensor([0.0, 0, 0, 1, 1, 1, 3, 3, 3, 2, 2, 2])
#     found = correlate(steps[None, None], torch.tensor([[[-1.0, 1.0]]]))[0, 0]
# except NotImplementedError:
#     print("Your picture appears here once windows and correlate are written.")
# else:
#     plt.step(range(len(steps)), steps, where="mid", label="signal")
#     plt.stem(range(1, len(found) + 1), found, label="jumps")
#     plt.legend()
#     plt.show()

# %% [markdown]
# **To think about.** The layer has the same weights at every place. What can it not tell apart,
# for this very reason?
