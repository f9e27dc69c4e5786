# All is as in a tutorial whose first axis is the sequence, and the buffer is saved.
# fails: position_added, position_lengths, position_too_long, position_buffer
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    """x: [seq_len, batch_size, embedding_dim]"""

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = sinusoidal_encoding(max_len, d_model).unsqueeze(1)
        self.register_buffer("encoding", pe)

    def forward(self, x):
        seq_len, max_len = x.size(0), self.encoding.size(0)
        if seq_len > max_len:
            raise ValueError(f"sequence length {seq_len} > max_len {max_len}")
        x = x + self.encoding[:seq_len]
        return self.dropout(x)
