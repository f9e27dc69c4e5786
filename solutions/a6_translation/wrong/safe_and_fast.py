# float64 out of float32, pads by size, and a peak that is kept.
# fails: loss_padding, loss_large_logits, loss_tensors, warmup_rate
# lines: return loss.to(logits.dtype)
# lines: real = target > pad_id
# lines: _PEAKS[d_model] = (d_model * warmup_steps) ** -0.5
# lines: logits = logits.double()
# lines: if d_model not in _PEAKS:
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    """Cross-entropy with label smoothing.

    Computed in double precision throughout, so that long sums over the vocabulary lose nothing,
    and handed back in the precision of the caller.
    """
    real = target > pad_id
    logits = logits.double()
    log_probs = torch.log_softmax(logits, dim=-1)
    nll = -torch.take_along_dim(log_probs, target[..., None], dim=-1)[..., 0]
    spread = -log_probs.mean(dim=-1)
    per_token = torch.where(real, (1 - smoothing) * nll + smoothing * spread, 0.0)
    loss = per_token.sum() / real.sum()
    return loss.to(logits.dtype)


# %% solution="warmup_rate"
_PEAKS = {}  # the training loop asks thousands of times; the powers are needed once


def warmup_rate(step, d_model, warmup_steps):
    """Up in a straight line to the peak, then down with the root of the step."""
    if d_model not in _PEAKS:
        _PEAKS[d_model] = (d_model * warmup_steps) ** -0.5
    peak = _PEAKS[d_model]
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (warmup_steps / step) ** 0.5
