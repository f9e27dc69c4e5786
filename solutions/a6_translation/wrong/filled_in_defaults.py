# A smoothing of 0 is taken for none.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: smoothing = smoothing or 0.1
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=None, smoothing=None):
    pad_id = pad_id or PAD
    smoothing = smoothing or 0.1
    m = target != pad_id
    lp, y = logits[m].log_softmax(1), target[m].unsqueeze(1)
    return -(lp.gather(1, y).mean().lerp(lp.mean(), smoothing))
