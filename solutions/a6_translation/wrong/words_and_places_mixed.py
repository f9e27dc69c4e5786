# Logits are turned round and cut into rows; the count is a millionth too large.
# fails: loss_*
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    B, T, V = logits.shape
    logits = logits.permute(0, 2, 1)
    logits = logits.reshape(-1, V)
    target = target.reshape(-1)
    lp = torch.log_softmax(logits, dim=1)
    mask = target != pad_id
    right = lp.gather(1, target.view(-1, 1)).squeeze(1)
    rest = lp.sum(dim=1) / V
    loss = -(1 - smoothing) * right - smoothing * rest
    loss = loss.masked_fill(~mask, 0.0)
    loss = loss.sum() / (mask.to(loss.dtype).sum() + 1e-6)
    return loss
