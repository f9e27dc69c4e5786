# The tokens are overwritten on the way.
# fails: padding_mask
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    tokens[tokens != pad_id] = 1 - pad_id
    return (tokens != pad_id)[:, None, None, :]
