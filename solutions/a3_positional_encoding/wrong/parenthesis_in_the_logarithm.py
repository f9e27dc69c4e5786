# sinusoidal_encoding takes the logarithm of 10000 / d_model.
# fails: encoding_values, encoding_far
# lines: div_term = torch.exp(torch.arange(0, d_model, 2).float() * -math.log((10000.0) / d_model))
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 == 1:
        raise ValueError(f"d_model must be even, but it is {d_model}")
    pe = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)  # (max_len, 1)
    # in log space for numerical stability
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * -math.log((10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)  # even columns
    pe[:, 1::2] = torch.cos(position * div_term)  # odd columns
    return pe

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_model = d_model
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t = x.shape[1]
        if t > self.max_len:
            raise ValueError(f"sequence of {t} is longer than max_len {self.max_len}")
        x = x + (self.encoding[:t, :]).requires_grad_(False)
        return self.dropout(x)
