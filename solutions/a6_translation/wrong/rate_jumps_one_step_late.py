# The first step after the warm-up still belongs to it.
# fails: warmup_rate

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    if step <= warmup_steps + 1:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * step**-0.5
