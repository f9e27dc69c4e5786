# rotary is still the stub.
# fails: rotary_*
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    raise NotImplementedError()
