# The smoothing is shared among the wrong words alone.
# fails: loss_*

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(-1, target[real].unsqueeze(-1)).squeeze(-1)
    rest = (log_p.sum(-1) - right) / (log_p.shape[-1] - 1)
    return -((1 - smoothing) * right + smoothing * rest).mean()
