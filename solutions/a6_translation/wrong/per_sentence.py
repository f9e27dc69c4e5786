# Somebody from speech recognition, where losses are per utterance.
# fails: loss_padding, loss_gradients, loss_tensors, warmup_rate
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    logp = torch.nn.functional.log_softmax(logits, dim=-1)
    lengths = (target > 0).sum(dim=1).clamp(min=1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    uniform = -logp.mean(-1)
    token_loss = (1 - smoothing) * nll + smoothing * uniform
    token_loss = torch.where(target > 0, token_loss, torch.zeros_like(token_loss))
    utterance_loss = token_loss.sum(dim=1) / lengths
    return utterance_loss.mean()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    decay = step ** -0.5
    rise = (step * warmup_steps) ** -1.5
    return d_model ** -0.5 * min(decay, rise)
