# The rows of a first forward stay where they are when the module is moved.
# fails: position_buffer
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.rows = None  # those of the last call: batches often have the same length

    def forward(self, x):
        t = x.size(1)
        if t > self.max_len:
            raise ValueError(f"{t} positions, but max_len is {self.max_len}")
        if self.rows is None or self.rows.size(0) != t:
            self.rows = self.encoding[:t]
        return self.dropout(x + self.rows)
