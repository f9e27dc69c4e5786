# Plain loops over pieces, points and centres, and a function that calls itself.

# %% solution="pieces"
def pieces(x, k):
    return torch.stack([x[i : i + k] - sum(x[i : i + k]) / k for i in range(len(x) - k + 1)])


# %% solution="assign"
def assign(points, centers):
    return torch.tensor([min(range(len(centers)), key=lambda c: torch.dist(p, centers[c])) for p in points])


# %% solution="update"
def update(points, labels, centers):
    new = [[p for p, label in zip(points, labels) if label == c] for c in range(len(centers))]
    return torch.stack([sum(mine) / len(mine) if mine else centers[c] for c, mine in enumerate(new)])


# %% solution="kmeans"
def kmeans(points, centers):
    labels = assign(points, centers)
    moved = update(points, labels, centers)
    if (assign(points, moved) == labels).all():
        return moved, labels
    return kmeans(points, moved)
