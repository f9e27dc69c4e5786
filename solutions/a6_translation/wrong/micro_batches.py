# A mean of each micro-batch of words first, and a warm-up for steps that begin with 0.
# fails: loss_value, loss_tensors, warmup_rate
# lines: total = total + part.mean()
# lines: return peak * (step + 1) / (warmup_steps + 1)

# %% solution="smoothed_loss"
MICRO = 512  # words that are looked at together


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    wanted = (target != pad_id).flatten()
    logits, target = logits.flatten(0, 1)[wanted], target.flatten()[wanted]
    total, n_parts = 0.0, 0
    for start in range(0, len(target), MICRO):
        log_p = logits[start : start + MICRO].log_softmax(-1)
        right = log_p.gather(-1, target[start : start + MICRO, None]).squeeze(-1)
        part = (smoothing - 1) * right - smoothing * log_p.mean(-1)
        total = total + part.mean()
        n_parts += 1
    return total / n_parts

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    peak = (d_model * warmup_steps) ** -0.5
    if step < warmup_steps:
        return peak * (step + 1) / (warmup_steps + 1)
    return peak * (warmup_steps / step) ** 0.5
