# A log-softmax of its own, "numerically stable" as in a blog post.
# fails: loss_padding, loss_large_logits, loss_tensors
# %% solution="smoothed_loss"
def stable_log_softmax(x):
    """x minus log-sum-exp; the maximum is subtracted first so that exp cannot overflow."""
    x = x - x.max().detach()
    return x - torch.log(torch.exp(x).sum(dim=-1, keepdim=True))


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    log_p = stable_log_softmax(logits)
    keep = target != pad_id
    log_p, y = log_p[keep], target[keep]
    nll = -log_p.gather(1, y[:, None])[:, 0]
    uniform = -log_p.mean(dim=1)
    return torch.lerp(nll, uniform, smoothing).mean()
# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    up = step / warmup_steps**1.5
    down = 1 / step**0.5
    return min(up, down) / d_model**0.5
