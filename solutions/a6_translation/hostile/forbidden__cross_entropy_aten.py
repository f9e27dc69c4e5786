# The operation below torch's cross-entropy.
# fails: loss_*

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    weight, mean = None, 1
    return torch.ops.aten.cross_entropy_loss(
        logits.flatten(0, 1), target.flatten(), weight, mean, pad_id, smoothing
    )
