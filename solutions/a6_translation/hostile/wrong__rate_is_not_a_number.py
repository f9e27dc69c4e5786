# A rate that is not a number.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return float('nan')
