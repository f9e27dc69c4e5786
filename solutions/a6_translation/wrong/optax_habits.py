# A JAX user: einsum, own logsumexp, argument checks, and a schedule that is only a multiplier.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    if not 0.0 <= smoothing < 1.0:
        raise ValueError(f"smoothing must be in [0, 1), got {smoothing}")
    vocab = logits.shape[-1]
    log_z = torch.log(torch.einsum("btv->bt", torch.exp(logits)))
    labels = torch.eye(vocab, dtype=logits.dtype, device=logits.device)[target]
    labels = labels * (1.0 - smoothing) + smoothing / vocab
    loss = log_z - torch.einsum("btv,btv->bt", labels, logits)
    loss = loss[target != pad_id]
    return loss.mean(dim=0, keepdim=True)

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    """Inverse square root schedule with linear warmup."""
    warmup = step / warmup_steps**1.5
    decay = 1.0 / step**0.5
    return warmup if step < warmup_steps else decay
