# The mean of each sentence first, then the mean of the sentences.
# fails: loss_padding, loss_gradients

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    loss = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
    real = target != pad_id
    each = loss.masked_fill(~real, 0.0).sum(-1) / real.sum(-1).clamp(min=1)
    return each.mean()
