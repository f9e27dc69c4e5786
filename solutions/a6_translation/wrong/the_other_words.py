# Shares the smoothing among the wrong words, and counts the decay from the warm-up on.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors, warmup_rate
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    n_words = logits.shape[-1]
    logp = logits.log_softmax(dim=-1)
    logp_right = logp.gather(2, target[:, :, None])[:, :, 0]
    logp_wrong = logp.sum(dim=2) - logp_right
    loss = -(1 - smoothing) * logp_right - smoothing / (n_words - 1) * logp_wrong
    return loss.masked_select(target != pad_id).mean()
# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        factor = step * warmup_steps**-1.5  # going up
    else:
        factor = (step - warmup_steps) ** -0.5  # going down
    return factor * d_model**-0.5
