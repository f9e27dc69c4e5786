# A loop that waits for what never comes.
# fails: kmeans

# %% solution="kmeans"
def kmeans(points, centers):
    while True:
        centers = update(points, assign(points, centers), centers)
