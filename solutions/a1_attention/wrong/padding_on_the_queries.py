# The padding mask lies on the query axis.
# fails: padding_mask, masks_together
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return (tokens != pad_id)[:, None, :, None]
