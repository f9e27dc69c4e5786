# Matrix products and one-hot rows: no loop over centres, and one over rounds.

# %% solution="pieces"
def pieces(x, k):
    cut = windows(x, k)
    return cut @ (torch.eye(k, dtype=x.dtype) - torch.ones(k, k, dtype=x.dtype) / k)


# %% solution="assign"
def assign(points, centers):
    inner = points @ centers.T
    return (0.5 * centers.square().sum(dim=1) - inner).min(dim=1).indices


# %% solution="update"
def update(points, labels, centers):
    belongs = (labels == torch.arange(len(centers))[:, None]).to(points.dtype)  # (c, n)
    count = belongs.sum(dim=1, keepdim=True)
    return torch.where(count == 0, centers, belongs @ points / count.clamp(min=1))


# %% solution="kmeans"
def kmeans(points, centers):
    before, labels = None, assign(points, centers)
    while before is None or (before != labels).any():
        before, centers = labels, update(points, labels, centers)
        labels = assign(points, centers)
    return centers, labels
