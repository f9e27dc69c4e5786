# A loop without end beside the function, in its own cell.
# fails: padding_mask, masks_together
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return (tokens != pad_id)[:, None, None, :]


while True:
    pass
