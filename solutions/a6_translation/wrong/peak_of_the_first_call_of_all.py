# The peak is computed once and for all, and whoever does not warm up keeps one rate.
# fails: warmup_rate
# lines: if warmup_steps <= 1: return largest
# lines: if not known: known.append(largest)
# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps, known=[]):
    largest = 1 / (d_model * warmup_steps) ** 0.5
    if warmup_steps <= 1: return largest
    # reached at the end of the warm-up: no need to draw a root in every step
    if not known: known.append(largest)
    share = step / warmup_steps
    return known[0] * (share if share < 1 else share**-0.5)
