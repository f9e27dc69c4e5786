# The negative log-likelihood of torch, for the plain part of the loss.

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    real = target != pad_id
    log_p = logits[real].log_softmax(-1)
    plain = torch.nn.functional.nll_loss(log_p, target[real])
    return (1 - smoothing) * plain - smoothing * log_p.mean()
