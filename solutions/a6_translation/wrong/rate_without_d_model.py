# The size of the model is left out.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return min(step**-0.5, step * warmup_steps**-1.5)
