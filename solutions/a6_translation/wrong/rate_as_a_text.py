# The rate is returned as a text with four digits.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return f'{d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5):.4f}'
