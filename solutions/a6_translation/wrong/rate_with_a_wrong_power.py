# The warm-up grows with the power -0.5 of its length.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-0.5)
