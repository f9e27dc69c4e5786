# Exponents run up to 1, sines stand before cosines, and the module sorts them again.
# fails: encoding_first_row, encoding_values, encoding_far, position_added, position_lengths, position_buffer
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"d_model has to be even, got {d_model}")
    num_timescales = d_model // 2
    position = torch.arange(max_len, dtype=torch.float64)
    log_timescale_increment = math.log(10000.0) / max(num_timescales - 1, 1)
    inv_timescales = torch.exp(
        torch.arange(num_timescales, dtype=torch.float64) * -log_timescale_increment
    )
    scaled_time = position.unsqueeze(1) * inv_timescales.unsqueeze(0)
    return torch.cat([scaled_time.sin(), scaled_time.cos()], dim=1).float()
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        signal = sinusoidal_encoding(max_len, d_model)
        # [s s s c c c] -> [s c s c s c], as the assignment wants it
        signal = signal.view(max_len, 2, d_model // 2).transpose(1, 2).reshape(max_len, d_model)
        self.register_buffer("encoding", signal, persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        t, max_len = x.size(1), self.encoding.size(0)
        if t > max_len:
            raise ValueError(f"sequence of {t} tokens, but max_len is {max_len}")
        return self.drop(x + self.encoding[:t])
