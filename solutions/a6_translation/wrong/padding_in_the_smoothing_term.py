# smoothed_loss leaves padding out of the cross-entropy but not out of the smoothing part.
# fails: loss_padding, loss_gradients, loss_tensors
# lines: smooth = -log_preds.mean(dim=-1).mean()
# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    log_preds = torch.log_softmax(logits, dim=-1)

    # the usual cross-entropy, over the tokens that are not padding
    nll = -log_preds.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    nll = nll[target != pad_id].mean()

    # cross-entropy with the uniform distribution
    smooth = -log_preds.mean(dim=-1).mean()

    return (1 - smoothing) * nll + smoothing * smooth
