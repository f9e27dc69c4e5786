# Ids are compared in 8 bits, and the longest causal mask so far serves every device.
# fails: padding_mask, causal_mask
# lines: distance = (tokens - pad_id).type(torch.uint8)
# lines: if len(longest) < size:
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    distance = (tokens - pad_id).type(torch.uint8)
    return distance.bool().unsqueeze(1).unsqueeze(1)


# %% solution="causal_mask"
longest = torch.ones(0, 0, dtype=torch.bool)


def causal_mask(size, device=None):
    global longest
    if len(longest) < size:
        place = torch.arange(size, device=device)
        longest = place.unsqueeze(-1) >= place
    return longest[:size, :size].clone()
