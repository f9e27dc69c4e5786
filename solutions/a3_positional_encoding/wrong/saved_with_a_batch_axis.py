# The buffer is saved and has an axis too many; nobody looks at the length.
# fails: position_too_long, position_buffer
# lines: pe = sinusoidal_encoding(max_len, d_model).unsqueeze(0)
# lines: self.register_buffer("encoding", pe)
# lines: x = x + self.encoding[:, :x.size(1)]
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    position = torch.arange(max_len).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(max_len, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = sinusoidal_encoding(max_len, d_model).unsqueeze(0)
        self.register_buffer("encoding", pe)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Arguments:
            x: Tensor, shape ``[batch_size, seq_len, embedding_dim]``
        """
        x = x + self.encoding[:, :x.size(1)]
        return self.dropout(x)
