# The mean of nothing is not a number.
# fails: update_left_alone

# %% solution="update"
def update(points, labels, centers):
    return torch.stack([points[labels == row].mean(dim=0) for row in range(len(centers))])
