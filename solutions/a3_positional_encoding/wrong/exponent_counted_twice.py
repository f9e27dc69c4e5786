# The exponent is 2 * i although i steps by 2 already.
# fails: encoding_values, encoding_far
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    table = torch.zeros(max_len, d_model)
    position = torch.arange(max_len)
    for i in range(0, d_model, 2):
        table[:, i] = torch.sin(position / 10000 ** (2 * i / d_model))
        table[:, i + 1] = torch.cos(position / 10000 ** (2 * i / d_model))
    return table
