# What is refused is refused by exceptions of its own, which are kinds of ValueError.
# %% solution="sinusoidal_encoding"
class OddSize(ValueError):
    def __init__(self, d_model):
        super().__init__(f"sines and cosines come in pairs, and {d_model} is odd")


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise OddSize(d_model)
    positions = torch.arange(max_len, dtype=torch.float64).unsqueeze(1)
    speeds = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    table = torch.empty(max_len, d_model)
    table[:, 0::2] = torch.sin(positions * speeds)
    table[:, 1::2] = torch.cos(positions * speeds)
    return table


# %% solution="positional_encoding"
class TooLong(ValueError):
    """A sequence has more positions than the table has rows."""


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("encoding", table, persistent=False)

    def forward(self, x):
        t, most = x.shape[-2], len(self.encoding)
        if t > most:
            raise TooLong(f"{t} positions, but the table has {most}")
        return self.dropout(x + self.encoding[:t])
