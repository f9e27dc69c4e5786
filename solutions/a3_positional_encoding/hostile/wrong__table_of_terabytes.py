# The table is one number, expanded to a tebibyte.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_distance
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model={d_model} is odd")
    return torch.zeros(1).expand(1 << 20, 1 << 20)
