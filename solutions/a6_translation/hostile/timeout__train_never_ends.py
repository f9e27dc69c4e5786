# The training loop never ends. The weights that were handed in are looked at all the same.
# fails: first_steps

# %% solution="train"
def train(*args, **kwargs):
    while True:
        pass
