# Logarithms by hand, and the rate as a share of its peak.
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    """Cross-entropy with label smoothing, without any ready-made softmax.

    With z the logits, moved so that the largest is 0, and A the logarithm of the sum of exp(z),
    log p = z - A. A comes out of both sums, as their weights are 1 together:
    loss = A - (1 - smoothing) * z_right - smoothing * mean(z).
    """
    # index_select of flat rows: what is padding never enters the graph behind this line
    rows = target.reshape(-1).ne(pad_id).nonzero().flatten()
    z = logits.flatten(0, 1).index_select(0, rows)
    y = target.reshape(-1).index_select(0, rows)

    z = z - z.detach().amax(dim=1, keepdim=True)
    a = z.exp().sum(dim=1).log()
    right = z[torch.arange(len(y), device=y.device), y]
    return torch.stack([a, right * -(1 - smoothing), z.mean(dim=1) * -smoothing]).sum(0).mean()


# %% solution="warmup_rate"
from math import sqrt


def warmup_rate(step, d_model, warmup_steps):
    """The peak of sqrt(1 / (d_model * warmup_steps)), times how much of it this step gets."""
    done = step / warmup_steps
    share = done if done < 1 else 1 / sqrt(done)
    return share / sqrt(d_model * warmup_steps)
