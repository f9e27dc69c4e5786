# view is called on logits that may not be contiguous.
# fails: loss_tensors

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    logits, target = logits.view(-1, logits.shape[-1]), target.view(-1)
    real = target != pad_id
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(-1, target[real].unsqueeze(-1)).squeeze(-1)
    return -((1 - smoothing) * right + smoothing * log_p.mean(-1)).mean()
