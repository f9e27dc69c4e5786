# The largest logit of all tokens is taken away, not each token's own.
# fails: loss_padding, loss_large_logits, loss_tensors
# lines: z = z - z.detach().max()                            # against overflow
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    keep = target != pad_id
    z, y = logits[keep], target[keep]                   # (n, V), (n,)
    z = z - z.detach().max()                            # against overflow
    lse = z.exp().sum(-1).log()
    right = z[torch.arange(len(y), device=y.device), y]
    return (lse - (1 - smoothing) * right - smoothing * z.mean(-1)).mean()

# %% solution="warmup_rate"
import math


def warmup_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        return step / (math.sqrt(d_model) * warmup_steps * math.sqrt(warmup_steps))
    return 1 / math.sqrt(d_model * step)
