# The exponents are counted in steps of 2 / d_model, of which there is one too many at times.
# fails: encoding_values
# lines: share = torch.arange(0.0, 1.0, 2 / d_model, dtype=torch.float64)
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"{d_model} columns do not pair up")
    share = torch.arange(0.0, 1.0, 2 / d_model, dtype=torch.float64)
    hands = torch.arange(max_len).unsqueeze(1) * 1e4**-share
    return torch.stack((hands.sin(), hands.cos()), 2).view(max_len, -1).float()
