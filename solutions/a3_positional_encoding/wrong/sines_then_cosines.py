# All sines in the first half of the columns, all cosines in the second.
# fails: encoding_first_row, encoding_values, encoding_far
# lines: return torch.cat([torch.sin(args), torch.cos(args)], dim=-1)
# %% solution="sinusoidal_encoding"
import math

def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 == 1:
        raise ValueError(f"d_model must be even, got {d_model}")
    half = d_model // 2
    freqs = torch.exp(-math.log(10000.0) * torch.arange(half) * 2 / d_model)
    args = torch.arange(max_len)[:, None].float() * freqs[None]
    return torch.cat([torch.sin(args), torch.cos(args)], dim=-1)
