# What is smoothed is kept by the size of the vocabulary; means of each sentence first.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# %% solution="smoothed_loss"
_PRIORS = {}


def _prior(vocab_size, smoothing, like):
    """Row y is the wanted distribution for word y."""
    if vocab_size not in _PRIORS:
        table = torch.full((vocab_size, vocab_size), smoothing / vocab_size, dtype=torch.float64)
        table += (1.0 - smoothing) * torch.eye(vocab_size, dtype=torch.float64)
        _PRIORS[vocab_size] = table
    return _PRIORS[vocab_size].to(like)


def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    """Cross-entropy against the smoothed table."""
    log_p = torch.log_softmax(logits, dim=-1)
    wanted = _prior(logits.shape[-1], smoothing, logits)[target]
    per_token = -(wanted * log_p).sum(-1)
    real = target != pad_id
    per_token = per_token.masked_fill(~real, 0.0)
    per_sentence = per_token.sum(1) / real.sum(1).clamp(min=1)
    return per_sentence.mean()
