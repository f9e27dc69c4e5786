# d_model is always 512.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return 512**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
