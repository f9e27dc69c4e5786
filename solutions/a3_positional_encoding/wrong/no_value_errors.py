# Sizes are not looked at: torch raises an error of its own, or none.
# fails: encoding_odd_size, position_too_long
# lines: pe = torch.zeros(max_len, d_model)
# lines: x = x + self.encoding[: x.size(1), :]
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    pe = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        x = x + self.encoding[: x.size(1), :]
        return self.dropout(x)
