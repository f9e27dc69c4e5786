# rotary refuses everything, in other words each time, with all numbers there are.
# fails: rotary_*
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    raise ValueError(" ".join(map(str, (*range(100), 512, 513, 5001))) + " a" * (x.shape[-1] % 50))
