# The exponent is i / d_model where it should be 2 * i / d_model.
# fails: encoding_values, encoding_far
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    i = torch.arange(d_model // 2)
    angle = torch.arange(max_len)[:, None] / 10000 ** (i / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
