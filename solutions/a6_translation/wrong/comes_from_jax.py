# Comes from JAX: pure functions, where-masks, stop-gradients for stability.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# lines: eps = smoothing or 0.1
# lines: logp = logits - _log_normaliser(logits).detach()
# lines: uniform = -logp.mean()
# lines: return scale * (step - warmup_steps) ** -0.5
# %% solution="smoothed_loss"
def _log_normaliser(z):
    top = z.amax(-1, keepdim=True)
    return top + (z - top).exp().sum(-1, keepdim=True).log()


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    eps = smoothing or 0.1
    logp = logits - _log_normaliser(logits).detach()
    valid = target != pad_id
    zero = torch.zeros((), dtype=logits.dtype, device=logits.device)
    nll = torch.where(valid, -torch.take_along_dim(logp, target[..., None], -1)[..., 0], zero)
    uniform = -logp.mean()
    return (1 - eps) * nll.sum() / valid.sum() + eps * uniform


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    scale = d_model**-0.5
    if step <= warmup_steps:
        return scale * step * warmup_steps**-1.5
    return scale * (step - warmup_steps) ** -0.5
