# A way of its own for a smoothing of 1 forgets the padding, and a table of slopes forgets d_model.
# fails: loss_padding, loss_tensors, warmup_rate
# lines: return -log_p.mean()
# lines: _slopes[warmup_steps] = (d_model * warmup_steps**3) ** -0.5
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    log_p = logits.log_softmax(-1)
    if smoothing >= 1.0:
        # every word gets the same, whichever is the right one
        return -log_p.mean()
    keep = target.ne(pad_id).to(log_p.dtype)
    right = log_p.gather(2, target[:, :, None])[:, :, 0]
    everyone = log_p.sum(dim=2) / log_p.size(2)
    losses = -(right + smoothing * (everyone - right))
    return (losses * keep).sum() / keep.sum()
# %% solution="warmup_rate"
_slopes = {}


def warmup_rate(step, d_model, warmup_steps):
    # a straight line at first: look its slope up
    if warmup_steps not in _slopes:
        _slopes[warmup_steps] = (d_model * warmup_steps**3) ** -0.5
    if step < warmup_steps:
        return step * _slopes[warmup_steps]
    return (d_model * step) ** -0.5
