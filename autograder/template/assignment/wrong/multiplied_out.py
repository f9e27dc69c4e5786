# The square is multiplied out, which loses digits far from the origin.
# fails: distances
#
# A wrong sample: what somebody might hand in, and after "fails:" the items that it must lose, no
# others. The tolerances must be a hundred times smaller than what such code is off by. (Hostile
# samples, if any, lie in hostile/, with the verdict before the name: timeout__endless_loop.py.)

# %% solution="distances"
def distances(x, y):
    squares = x.square().sum(dim=-1)[:, None] + y.square().sum(dim=-1)
    return (squares - 2 * x @ y.T).clamp(min=0).sqrt()
