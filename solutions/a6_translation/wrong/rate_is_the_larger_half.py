# The larger of the two halves is taken.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)
