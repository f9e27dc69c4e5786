# The tutorial with the sequence in front: shape, state dict and rows are its own.
# fails: position_added, position_lengths, position_buffer
# lines: pe = pe.unsqueeze(1)
# lines: self.register_buffer('encoding', pe)
# lines: x = x + rows[:x.size(0)]
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.max_len = max_len
        pe = sinusoidal_encoding(max_len, d_model)
        pe = pe.unsqueeze(1)
        self.register_buffer('encoding', pe)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.size(1) > self.max_len:
            raise ValueError(f'{x.size(1)} tokens do not fit into max_len={self.max_len}')
        rows = self.encoding.view(self.max_len, 1, -1)
        x = x + rows[:x.size(0)]
        return self.dropout(x)
