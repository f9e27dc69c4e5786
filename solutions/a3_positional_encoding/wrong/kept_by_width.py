# The table of a longer module is kept for a shorter one; sentences are dropped alike.
# fails: position_too_long, position_buffer, position_dropout
# lines: if width not in SEEN or len(SEEN[width]) < rows:
# lines: kept = torch.rand_like(total[0]) >= self.rate
# %% solution="positional_encoding"
SEEN = {}


def table_of(rows, width):
    if width not in SEEN or len(SEEN[width]) < rows:
        SEEN[width] = sinusoidal_encoding(rows, width)
    return SEEN[width]


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("encoding", table_of(max_len, d_model), persistent=False)
        self.rate = dropout

    def forward(self, x):
        t, most = x.shape[1], self.encoding.shape[0]
        if t > most:
            raise ValueError(f"{t} positions are more than {most}")
        total = x + self.encoding[:t]
        if not self.training or self.rate in (0, 1):
            return total * (not self.training or self.rate == 0)
        kept = torch.rand_like(total[0]) >= self.rate
        return total * kept / (1 - self.rate)
