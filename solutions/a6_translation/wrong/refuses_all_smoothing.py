# All of the smoothing is refused, and the pads of the target are overwritten.
# fails: loss_value, loss_padding, loss_tensors
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    # Look at what came, before anything strange happens further down.
    assert logits.dim() == 3, f"logits must be (batch, t, vocab_size), got {tuple(logits.shape)}"
    assert logits.shape[:2] == target.shape, (tuple(logits.shape), tuple(target.shape))
    assert logits.dtype in (torch.float32, torch.float64), logits.dtype
    assert target.dtype == torch.int64, target.dtype
    assert 0.0 <= smoothing < 1.0, f"smoothing must be in [0, 1), got {smoothing}"

    is_padding = target == pad_id
    log_p = torch.log_softmax(logits, dim=-1)  # (batch, t, vocab_size)

    # gather needs an id that exists also where there is padding; what it finds there is thrown away
    index = target.masked_fill_(is_padding, 0).unsqueeze(-1)
    log_p_right = log_p.gather(dim=-1, index=index).squeeze(-1)  # (batch, t)
    log_p_mean = log_p.mean(dim=-1)  # (batch, t)

    per_token = -(1.0 - smoothing) * log_p_right - smoothing * log_p_mean
    loss = per_token[~is_padding].mean()
    assert loss.shape == ()
    return loss
