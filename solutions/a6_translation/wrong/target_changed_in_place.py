# Padding in the target is overwritten by a word.
# fails: loss_tensors

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    target[~real] = 1
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -((1 - smoothing) * right + smoothing * log_p.mean(-1))[real].mean()
