# Padded logits become -inf before the softmax, and NaN before the mean.
# fails: loss_padding, loss_gradients

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    log_p = logits.masked_fill(~real[..., None], float('-inf')).log_softmax(-1)
    right = log_p.gather(-1, target[..., None])[..., 0]
    loss = -(1 - smoothing) * right - smoothing * log_p.mean(-1)
    return (loss * real).sum() / real.sum()
