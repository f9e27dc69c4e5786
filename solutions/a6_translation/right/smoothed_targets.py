# A distribution for every token, and the cross-entropy between two distributions.

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    n_words = logits.size(-1)
    wanted = torch.full_like(logits, smoothing / n_words)
    wanted.scatter_add_(-1, target.unsqueeze(-1), torch.full_like(wanted, 1 - smoothing))
    losses = -(wanted * torch.log_softmax(logits, dim=-1)).sum(-1)
    real = (target != pad_id).to(losses.dtype)
    return (losses * real).sum() / real.sum()


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    warm = step * warmup_steps ** (-1.5)
    return float(d_model ** (-0.5) * (warm if warm < step ** (-0.5) else step ** (-0.5)))
