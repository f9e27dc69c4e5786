# A float64 table makes every loss float64.
# fails: loss_large_logits, loss_tensors

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    wanted = torch.full(logits.shape, smoothing / logits.shape[-1], dtype=torch.float64, device=logits.device)
    wanted.scatter_add_(-1, target.unsqueeze(-1), torch.full_like(wanted, 1 - smoothing))
    loss = -(wanted * logits.log_softmax(-1)).sum(-1)
    return loss[target != pad_id].mean()
