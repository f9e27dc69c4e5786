# The training loop never ends, and is never run.

# %% solution="train"
def train(*args, **kwargs):
    while True:
        pass
