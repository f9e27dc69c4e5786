# The distances come from torch.cdist.
# fails: assign, kmeans

# %% solution="assign"
def assign(points, centers):
    return torch.cdist(points, centers).argmin(dim=1)
