# Not a number.
# fails: loss_*

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    return (logits * float('nan')).sum()
