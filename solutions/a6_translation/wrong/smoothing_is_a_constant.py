# The smoothing is always 0.1, whatever is asked for.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(-1, target[real].unsqueeze(-1)).squeeze(-1)
    return -(0.9 * right + 0.1 * log_p.mean(-1)).mean()
