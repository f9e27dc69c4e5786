# The arrow is turned again and again.
# fails: rotary_*
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    while True:
        x = x + 0.0
