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
# # Patterns that nobody named
#
# Cut a pulse into short pieces, and some shapes come again and again: the rise, the fall, the calm
# in between. Nobody has told the computer what to look for. *k-means* finds such shapes all the
# same: it puts each piece to the nearest of a few centres, moves each centre to the middle of its
# pieces, and does so again until nothing changes.
#
# - Where a cell says `# YOUR CODE HERE`, delete the line `raise NotImplementedError()` and write
#   your own code. The other cells are locked, but you may add cells of your own.
# - **Check cells** try a sample of what the grader tries. The text above each says everything
#   that its item is about.
# - Not allowed: `torch.cdist`, which would do half of the exercise.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch
from given import windows

# %% active="ipynb" given="checks"
# from checks import check

# %% [markdown]
# ## Pieces
#
# `windows(x, k)` of the last assignment is given: all windows of width $k$, from `(t,)` to
# `(t - k + 1, k)`. We care about the shape of a piece and not about its height, so take from each
# piece its own mean.


# %% solution="pieces"
def pieces(x, k):
    """All windows of a signal, each with mean zero.

    x (t,): float32 or float64; k: an int from 1 to t. Returns (t - k + 1, k).
    """
    ### BEGIN SOLUTION
    cut = windows(x, k)
    return cut - cut.mean(dim=-1, keepdim=True)
    ### END SOLUTION


# %% [markdown]
# **The pieces.** `pieces(x, k)` has the shape `(t - k + 1, k)` and the right values.

# %% active="ipynb" check="pieces"
# check("pieces")

# %% [markdown]
# ## The nearest centre
#
# The distance is the usual one, the root of the sum of squares.


# %% solution="assign"
def assign(points, centers):
    """Which centre is nearest to each point?

    points (n, d), centers (c, d). Returns (n,), int64: a row of centers for each point.
    """
    ### BEGIN SOLUTION
    return (points[:, None] - centers).square().sum(dim=-1).argmin(dim=1)
    ### END SOLUTION


# %% [markdown]
# **The nearest centre.** `assign(points, centers)` has the shape `(n,)`, the dtype `int64` and the
# right rows. We never try a point that is equally near to two centres.

# %% active="ipynb" check="assign"
# check("assign")

# %% [markdown]
# ## The middle
#
# A centre moves to the mean of all points that were put to it. If there are none, it stays.


# %% solution="update"
def update(points, labels, centers):
    """Move each centre to the mean of its points.

    points (n, d), labels (n,) int64, centers (c, d). Returns the new centres, (c, d). A centre
    without points stays where it is. None of the three is changed.
    """
    ### BEGIN SOLUTION
    moved = centers.clone()
    for row in range(len(centers)):
        mine = points[labels == row]
        if len(mine):
            moved[row] = mine.mean(dim=0)
    return moved
    ### END SOLUTION


# %% [markdown]
# **The middle.** `update(points, labels, centers)` has the right values where each centre has
# points, and changes nothing that it was given.

# %% active="ipynb" check="update"
# check("update")

# %% [markdown]
# **Left alone.** A centre without points stays where it was.

# %% active="ipynb" check="update_left_alone"
# check("update_left_alone")

# %% [markdown]
# ## Until nothing changes
#
# Now in turns: assign, update, and again, until no label changes any more.


# %% solution="kmeans"
def kmeans(points, centers):
    """k-means from these first centres on, until no label changes.

    points (n, d), centers (c, d). Returns the final centres (c, d) and labels (n,).
    """
    ### BEGIN SOLUTION
    labels = assign(points, centers)
    while True:
        centers = update(points, labels, centers)
        again = assign(points, centers)
        if torch.equal(again, labels):
            return centers, labels
        labels = again
    ### END SOLUTION


# %% [markdown]
# **k-means.** `kmeans(points, centers)` returns the right centres and the right labels, however
# many rounds it takes, and also where a centre is so far away that it never gets a point.

# %% active="ipynb" check="kmeans"
# check("kmeans")

# %% [markdown]
# ## To look at
#
# `pulse.csv` lies beside this notebook: a number a line. These are its three most typical pieces.

# %% active="ipynb" figure="typical"
# import matplotlib.pyplot as plt
#
# with open("pulse.csv") as table:
#     pulse = torch.tensor([float(line) for line in table])
# try:
#     cut = pieces(pulse, 12)
#     typical, _ = kmeans(cut, cut[[0, 20, 40]])
# except NotImplementedError:
#     print("Your picture appears here once everything above is written.")
# else:
#     for piece in typical:
#         plt.plot(piece)
#     plt.show()

# %% [markdown]
# ## In your words
#
# Try other numbers of centres, and other first centres. In at most ten lines: do you always find
# the same patterns, and how many would you keep? One point for what you tried, one for what you
# saw, one for a reason.

# %% [markdown] manual="report"
# The patterns depend on where the centres start. With two, rise and fall share one of them; with
# three, each has its own, from nearly every start; with eight, some are copies of others, moved by
# a place. Three are enough, since a fourth makes the distances hardly smaller.

# %% [markdown]
# **To think about.** The sum of squared distances never grows from one round to the next. Why does
# this mean that the loop must end?
