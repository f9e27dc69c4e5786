# Surprise is measured in bits.
# fails: loss_*

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    log_p = logits[real].log_softmax(dim=-1)
    right = log_p.gather(-1, target[real].unsqueeze(-1)).squeeze(-1)
    bits = -((1 - smoothing) * right + smoothing * log_p.mean(-1)).mean()
    return bits / torch.tensor(2.0, dtype=logits.dtype, device=logits.device).log()
