# One step less between the scales, and a column of zeros for an odd size.
# fails: encoding_values, encoding_far, encoding_odd_size
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model, min_timescale=1.0, max_timescale=1.0e4):
    position = torch.arange(max_len, dtype=torch.float32)
    num_timescales = d_model // 2
    log_timescale_increment = math.log(max_timescale / min_timescale) / max(num_timescales - 1, 1)
    inv_timescales = min_timescale * torch.exp(
        torch.arange(num_timescales, dtype=torch.float32) * -log_timescale_increment
    )
    scaled_time = position.unsqueeze(1) * inv_timescales.unsqueeze(0)
    signal = torch.stack([torch.sin(scaled_time), torch.cos(scaled_time)], dim=2).flatten(1)
    # zero pad in case d_model is odd
    return torch.nn.functional.pad(signal, (0, d_model % 2))
