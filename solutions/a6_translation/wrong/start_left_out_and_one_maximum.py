# START counts as padding, and one maximum for all; padding counts in the smoothing.
# fails: loss_value, loss_padding, loss_large_logits, loss_gradients, loss_tensors
# lines: shifted = logits - logits.max()
# lines: keep = target.ne(pad_id).logical_and(target.ne(START))
# lines: uniform = logp.mean()
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    shifted = logits - logits.max()
    logp = shifted - torch.log(torch.exp(shifted).sum(dim=-1, keepdim=True))
    keep = target.ne(pad_id).logical_and(target.ne(START))
    nll = torch.gather(logp, 2, target[:, :, None])[:, :, 0]
    uniform = logp.mean()
    return -((1 - smoothing) * nll[keep].mean() + smoothing * uniform)
