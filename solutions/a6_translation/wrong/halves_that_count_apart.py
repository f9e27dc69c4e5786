# The half that rises begins at 0, and the other counts from the end of the warm-up.
# fails: warmup_rate
# lines: steps_taken = step - 1
# lines: return largest / (step - warmup_steps + 1) ** 0.5
# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    largest = 1 / (d_model * warmup_steps) ** 0.5
    if step <= warmup_steps:
        steps_taken = step - 1
        return largest * steps_taken / warmup_steps
    return largest / (step - warmup_steps + 1) ** 0.5
