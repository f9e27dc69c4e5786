# max_len and d_model are in each other's place.
# fails: encoding_*
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(d_model, max_len):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    position = torch.arange(max_len)[:, None]
    even_columns = torch.arange(0, d_model, 2)
    angle = position / 10000 ** (even_columns / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table
