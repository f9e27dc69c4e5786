# An odd d_model ends in an AssertionError.
# fails: encoding_odd_size
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    assert d_model % 2 == 0, f"d_model={d_model} is odd"
    position = torch.arange(max_len)[:, None]
    even_columns = torch.arange(0, d_model, 2)
    angle = position / 10000 ** (even_columns / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()[:, : d_model // 2]
    return table
