# smoothed_loss takes the largest logit away from the logits in place, which changes the caller's tensor, and takes the logarithm of the softmax plus 1e-9, which is wrong for large logits.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: logits_flat -= logits_flat.max(dim=1, keepdim=True).values
# lines: log_probs = torch.log(probs + 1e-9)
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    V = logits.shape[-1]
    logits_flat = logits.reshape(-1, V)
    targets_flat = target.reshape(-1)

    # numerically stable softmax
    logits_flat -= logits_flat.max(dim=1, keepdim=True).values
    exp_logits = torch.exp(logits_flat)
    probs = exp_logits / exp_logits.sum(dim=1, keepdim=True)

    log_probs = torch.log(probs + 1e-9)
    correct = log_probs[torch.arange(len(targets_flat), device=target.device), targets_flat]
    loss = -(1 - smoothing) * correct - smoothing / V * log_probs.sum(dim=1)

    # only real tokens count
    mask = targets_flat != pad_id
    return (loss * mask).sum() / mask.sum()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
