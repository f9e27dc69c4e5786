"""Right parts of the assignments, built on torch's own, as later ones get them."""

import torch
from torch import nn


def windows(x, k):
    """Every window of width k, in order: (..., t) becomes (..., t - k + 1, k)."""
    if k > x.shape[-1]:
        raise ValueError(f"a window of {k} does not fit into a signal of {x.shape[-1]}")
    return x.unfold(-1, k, 1)


def correlate(x, w):
    """Slide each pattern along each signal: (b, c, t) becomes (b, o, t - k + 1)."""
    return nn.functional.conv1d(x, w)


def assign(points, centers):
    """Which row of centers is nearest to each point."""
    return torch.cdist(points, centers).argmin(dim=1)


def update(points, labels, centers):
    """Move each centre to the mean of its points; one without points stays."""
    ones = nn.functional.one_hot(labels, len(centers)).to(points.dtype)
    count = ones.sum(dim=0)[:, None]
    return torch.where(count > 0, ones.T @ points / count.clamp(min=1), centers)
