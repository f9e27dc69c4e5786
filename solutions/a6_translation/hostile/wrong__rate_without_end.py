# A whole number with a hundred thousand digits.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return 10**100_000
