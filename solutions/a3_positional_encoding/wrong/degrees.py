# The angles are taken to be degrees.
# fails: encoding_values, encoding_far, encoding_distance
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    position = torch.arange(max_len)[:, None]
    even_columns = torch.arange(0, d_model, 2)
    angle = (position / 10000 ** (even_columns / d_model)).deg2rad()
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table
