# The id of the padding is written out as 0.
# fails: padding_mask
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return (tokens != 0)[:, None, None, :]
