# The mean divides by the number of all positions, padding included.
# fails: loss_padding, loss_gradients, loss_tensors
# lines: return loss.mean()
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    logp = logits.log_softmax(dim=-1)                                   # (B, T, V)
    nll = -logp.gather(dim=-1, index=target[..., None]).squeeze(-1)     # (B, T)
    smooth = -logp.mean(dim=-1)                                         # (B, T)
    loss = (1.0 - smoothing) * nll + smoothing * smooth
    pad_mask = target == pad_id
    loss = loss.masked_fill(pad_mask, 0.0)
    return loss.mean()
