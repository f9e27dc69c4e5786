# Every column has a frequency of its own: no two are a pair.
# fails: encoding_values, encoding_far, encoding_distance
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(d_model) / d_model)
    table = torch.empty(max_len, d_model)
    table[:, 0::2] = angle[:, 0::2].sin()
    table[:, 1::2] = angle[:, 1::2].cos()
    return table
