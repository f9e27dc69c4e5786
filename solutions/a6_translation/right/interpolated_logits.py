# The loss is a logsumexp less the smoothed logit, with lerp; the rate is an if with powers.
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target.ne(pad_id)
    logits, target = logits[real], target[real]  # (n, vocab_size), (n,)
    surprise = logits.logsumexp(dim=-1, keepdim=True) - logits
    right = surprise.take_along_dim(target[:, None], dim=-1).squeeze(-1)
    return torch.lerp(right, surprise.mean(dim=-1), smoothing).mean()
# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    if step < warmup_steps:
        return step / (warmup_steps * (warmup_steps * d_model) ** 0.5)
    return 1 / (step * d_model) ** 0.5
