# The padding mask is True at the pads.
# fails: padding_mask, masks_together
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return (tokens == pad_id)[:, None, None, :]
