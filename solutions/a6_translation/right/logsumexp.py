# Logits under the logarithm of their sum; no log_softmax anywhere.

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target.ne(pad_id)
    total = logits.logsumexp(-1)
    right = logits.gather(-1, target[..., None])[..., 0]
    loss = total - (1 - smoothing) * right - smoothing * logits.mean(-1)
    return torch.where(real, loss, 0).sum() / real.sum()


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        return step / (d_model**0.5 * warmup_steps**1.5)
    return 1 / (d_model * step) ** 0.5
