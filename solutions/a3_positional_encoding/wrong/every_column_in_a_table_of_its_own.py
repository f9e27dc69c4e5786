# a table with an axis more, saved, read by a second name; no dropout, no limit.
# fails: position_added, position_lengths, position_too_long, position_buffer, position_dropout
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        places = torch.arange(max_len, dtype=torch.float64)[:, None]
        speeds = 10000.0 ** (-torch.arange(d_model, dtype=torch.float64) / d_model)
        angles = places * speeds
        rows = torch.empty_like(angles)
        rows[:, 0::2] = angles[:, 0::2].sin()
        rows[:, 1::2] = angles[:, 1::2].cos()
        self.rows = rows.float()[None]
        self.register_buffer("encoding", self.rows)

    def forward(self, x):
        return x + self.rows[:, : x.shape[1]]
