# The cosine has the exponent of the pair behind its own.
# fails: encoding_values, encoding_far, encoding_distance
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    table = torch.zeros(max_len, d_model)
    position = torch.arange(max_len)
    for i in range(0, d_model, 2):
        table[:, i] = torch.sin(position / 10000 ** (i / d_model))
        table[:, i + 1] = torch.cos(position / 10000 ** ((i + 2) / d_model))
    return table
