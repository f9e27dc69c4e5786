# max_len and dropout have changed places.
# fails: position_dropout
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t, max_len = x.shape[1], self.encoding.shape[0]
        if t > max_len:
            raise ValueError(f"a sequence of length {t} is longer than max_len={max_len}")
        return self.dropout(x + self.encoding[:t])
