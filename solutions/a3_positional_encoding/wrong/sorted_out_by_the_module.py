# Exponents run up to 1, sines stand before cosines, and the module sorts them again.
# fails: encoding_first_row, encoding_values, encoding_far, position_added, position_lengths, position_buffer
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"d_model has to be even, got {d_model}")
    hands = d_model // 2
    # from 1 down to 1 / 10000, in even steps of the logarithm
    speeds = 10000 ** -torch.linspace(0, 1, hands, dtype=torch.float64)
    turned = torch.arange(max_len, dtype=torch.float64)[:, None] * speeds
    return torch.cat([turned.sin(), turned.cos()], dim=1).float()
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        table = sinusoidal_encoding(max_len, d_model)
        sines, cosines = table.chunk(2, dim=1)  # the assignment wants them in turn
        table = torch.stack([sines, cosines], dim=-1).flatten(1)
        self.register_buffer("encoding", table, persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        t, max_len = x.size(1), self.encoding.size(0)
        if t > max_len:
            raise ValueError(f"sequence of {t} tokens, but max_len is {max_len}")
        return self.drop(x + self.encoding[:t])
