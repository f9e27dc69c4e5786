# A numpy person who writes the log softmax by hand and thinks in rows and columns.
# fails: loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    B, T, V = logits.shape
    z = logits - logits.max()  # for stability
    logZ = torch.log(torch.exp(z).sum(axis=-1))
    logp = z - logZ[:, :, None]

    is_word = target != pad_id
    y = torch.where(is_word, target, 0)
    picked = torch.take_along_dim(logp, y[:, :, None], dim=2)[:, :, 0]
    per_token = -(1 - smoothing) * picked - smoothing / V * logp.sum(axis=-1)
    per_token = torch.where(is_word, per_token, 0.0)

    lengths = is_word.sum(axis=1).clip(min=1)
    per_sentence = per_token.sum(axis=1) / lengths
    return per_sentence.mean()


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    peak = 1.0 / (d_model * warmup_steps) ** 0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    since = step - warmup_steps + 1
    return peak / since**0.5
