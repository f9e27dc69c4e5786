# The padding mask has the shape (batch, t).
# fails: padding_mask, masks_together
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return tokens != pad_id
