# A table is made without saying on which device.
# fails: loss_tensors

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    n = logits.shape[-1]
    wanted = (1 - smoothing) * torch.eye(n, dtype=logits.dtype)[target] + smoothing / n
    loss = -(wanted * logits.log_softmax(-1)).sum(-1)
    return loss[target != pad_id].mean()
