# The frequency is inverted already, and the position divided by it.
# fails: encoding_values, encoding_far
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    frequency = torch.exp(torch.arange(0, d_model, 2).double() * (-9.210340371976184 / d_model))
    angle = torch.arange(max_len)[:, None] / frequency
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table
