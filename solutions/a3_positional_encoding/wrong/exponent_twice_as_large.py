# i goes up in steps of two, and is multiplied by 2 once more.
# fails: encoding_values, encoding_far
# lines: angle = pos / (10000 ** (2 * i / d_model))
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError("d_model = {} is odd".format(d_model))
    pe = torch.zeros(max_len, d_model)
    pos = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
    i = torch.arange(0, d_model, 2, dtype=torch.float)
    angle = pos / (10000 ** (2 * i / d_model))
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle)
    return pe
