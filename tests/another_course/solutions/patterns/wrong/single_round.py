# One round, and the mean of the whole signal.
# fails: pieces, kmeans

# %% solution="pieces"
def pieces(x, k):
    return windows(x - x.mean(), k)


# %% solution="kmeans"
def kmeans(points, centers):
    labels = assign(points, centers)
    return update(points, labels, centers), labels
