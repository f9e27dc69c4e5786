# The rate only falls.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * step**-0.5
