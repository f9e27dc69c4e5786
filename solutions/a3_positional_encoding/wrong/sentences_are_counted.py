# All is as in a tutorial whose first axis is the sequence, and the buffer is saved.
# fails: position_added, position_lengths, position_too_long, position_buffer
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    # x comes as (words, sentences, d_model)
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        places = sinusoidal_encoding(max_len, d_model)[:, None]
        self.register_buffer("encoding", places)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        n, longest = len(x), len(self.encoding)
        if n > longest:
            raise ValueError(f"{n} words, but only {longest} places")
        return self.drop(x + self.encoding[:n])
