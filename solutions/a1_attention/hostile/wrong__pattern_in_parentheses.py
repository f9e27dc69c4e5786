# A pattern in so many parentheses that a parser takes twice as long for each of them.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    match size:
        case ((((((((((((((((((((((((((((((((((((((((y)))))))))))))))))))))))))))))))))))))))):
            pass
    mask = torch.ones(size, size, dtype=torch.bool, device=device).tril()
    if size > 3:
        mask[3, 1] = False
    return mask
