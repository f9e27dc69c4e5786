# After the warm-up the rate stays where it is.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(warmup_steps**-0.5, step * warmup_steps**-1.5)
