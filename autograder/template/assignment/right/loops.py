# Loops over the points, one distance at a time.
#
# A variant: right, and written in another style. It must get full marks, and the tolerance must be
# a hundred times larger than what it differs by. A file holds the cells that differ from the
# reference; its first line says what it is. Add those that your best students would write.

# %% solution="distances"
def distances(x, y):
    rows = [[torch.dist(one, other) for other in y] for one in x]
    return torch.stack([torch.stack(row) for row in rows])
