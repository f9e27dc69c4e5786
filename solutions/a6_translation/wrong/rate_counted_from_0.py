# Steps are counted from 0, as if the first had no rate.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    step = step - 1
    return d_model**-0.5 * min(max(step, 1e-9) ** -0.5, step * warmup_steps**-1.5)
