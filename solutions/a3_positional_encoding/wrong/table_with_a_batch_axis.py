# The buffer has an axis for the batch.
# fails: position_buffer
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        table = sinusoidal_encoding(max_len, d_model)[None]
        self.register_buffer("encoding", table, persistent=False)

    def forward(self, x):
        t, max_len = x.shape[1], self.encoding.shape[1]
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")
        return self.dropout(x + self.encoding[:, :t])
