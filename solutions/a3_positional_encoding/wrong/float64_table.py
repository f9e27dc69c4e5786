# The table is float64.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_distance
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    position = torch.arange(max_len)[:, None]
    even_columns = torch.arange(0, d_model, 2)
    angle = position / 10000 ** (even_columns.double() / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
