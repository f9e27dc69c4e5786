# Sentences that begin with padding are thrown out, and a root without its fraction.
# fails: loss_padding, loss_gradients, loss_tensors, warmup_rate
# lines: used = target[:, 0] != pad_id  # the others are nothing but padding
# lines: return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.isqrt(d_model)
# lines: logits, target = logits[used], target[used]
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    """Cross-entropy with label smoothing, the mean over the real tokens (section 5.4)."""
    used = target[:, 0] != pad_id  # the others are nothing but padding
    logits, target = logits[used], target[used]

    real = target != pad_id
    logits, target = logits[real], target[real]  # (n, vocab_size) and (n,)

    log_p = logits - logits.logsumexp(-1, keepdim=True)
    right = log_p[torch.arange(len(target), device=target.device), target]
    return -(1 - smoothing) * right.mean() - smoothing * log_p.mean()


# %% solution="warmup_rate"
import math


def warmup_rate(step, d_model, warmup_steps):
    """The learning rate of a step (Vaswani et al. 2017, section 5.3)."""
    return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.isqrt(d_model)
