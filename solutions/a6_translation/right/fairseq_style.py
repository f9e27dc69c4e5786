# As fairseq writes it.
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    lprobs = torch.log_softmax(logits, dim=-1)
    target = target.unsqueeze(-1)
    pad_mask = target.eq(pad_id)
    nll_loss = -lprobs.gather(dim=-1, index=target.masked_fill(pad_mask, 0))
    smooth_loss = -lprobs.sum(dim=-1, keepdim=True)
    nll_loss = nll_loss.masked_fill(pad_mask, 0.0)
    smooth_loss = smooth_loss.masked_fill(pad_mask, 0.0)
    eps_i = smoothing / lprobs.size(-1)
    loss = (1.0 - smoothing) * nll_loss.sum() + eps_i * smooth_loss.sum()
    return loss / pad_mask.logical_not().sum()

# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    if step < warmup_steps:
        factor = step / warmup_steps ** 1.5
    else:
        factor = 1 / step ** 0.5
    return factor / d_model ** 0.5
