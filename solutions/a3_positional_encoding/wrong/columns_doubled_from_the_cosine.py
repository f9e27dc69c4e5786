# cosines first, and each column has its own exponent, doubled.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_odd_size, encoding_distance
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    for place in range(max_len):
        for column in range(d_model):
            angle = place / 10000 ** (2 * column / d_model)
            table[place, column] = math.sin(angle) if column % 2 else math.cos(angle)
    return table
