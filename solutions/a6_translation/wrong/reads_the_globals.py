# Thinks in flat arrays, prepares the data in place, and reads the notebook's globals.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: target[target == pad_id] = 0
# lines: flat = logits.view(-1, logits.size(-1))[keep]
# lines: share = smoothing / len(ENGLISH)
# lines: return peak * (step - 1) / max(warmup_steps - 1, 1)
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    keep = (target != pad_id).reshape(-1)
    target[target == pad_id] = 0
    flat = logits.view(-1, logits.size(-1))[keep]
    y = target.reshape(-1)[keep]
    logp = flat - torch.logsumexp(flat, 1, keepdim=True)
    hit = logp[torch.arange(y.numel(), device=y.device), y].sum()
    everything = logp.sum()
    share = smoothing / len(ENGLISH)
    return -((1 - smoothing) * hit + share * everything) / keep.sum()


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * (step - 1) / max(warmup_steps - 1, 1)
    return (d_model * step) ** -0.5
