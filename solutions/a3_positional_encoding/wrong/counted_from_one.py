# The first position is 1.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_distance
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    position = torch.arange(1, max_len + 1)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table
