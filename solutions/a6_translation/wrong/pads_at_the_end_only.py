# Everything after the first padding is left out.
# fails: loss_padding, loss_gradients, loss_tensors

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    loss = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
    real = (target != pad_id).int().cumprod(-1).bool()
    return loss[real].mean()
