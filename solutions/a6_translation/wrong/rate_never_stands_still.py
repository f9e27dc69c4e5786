# The rate has a smallest value, and only ids above the padding are words.
# fails: loss_padding, loss_tensors, warmup_rate
# lines: words = target.gt(pad_id)
# lines: return float(max(up_or_down, lowest))
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    words = target.gt(pad_id)
    log_p = torch.log_softmax(logits[words], dim=-1)
    hit = log_p.gather(1, target[words][:, None])[:, 0]
    return -torch.lerp(hit, log_p.mean(1), smoothing).mean()


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps, lowest=1e-6):
    up_or_down = min(step / warmup_steps**1.5, 1 / step**0.5) / d_model**0.5
    return float(max(up_or_down, lowest))
