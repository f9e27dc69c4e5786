# torch's cross-entropy under another name.
# fails: loss_*

# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    return getattr(torch.nn.functional, 'cross' + '_entropy')(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )
