# The logarithm of a softmax that may have become 0.
# fails: loss_padding, loss_large_logits, loss_tensors

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    log_p = logits[real].softmax(dim=-1).log()
    right = log_p.gather(-1, target[real].unsqueeze(-1)).squeeze(-1)
    return -((1 - smoothing) * right + smoothing * log_p.mean(-1)).mean()
