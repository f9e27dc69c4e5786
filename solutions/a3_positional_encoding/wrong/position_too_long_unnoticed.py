# A sequence that is too long ends in an error of torch's.
# fails: position_too_long
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        return self.dropout(x + self.encoding[: x.shape[1]])
