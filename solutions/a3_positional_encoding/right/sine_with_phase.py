# One sine for all columns, the odd ones shifted by a quarter turn.
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}: odd")
    column = torch.arange(d_model, dtype=torch.float64)
    even = column - column % 2
    quarter = column % 2 * (math.pi / 2)
    position = torch.arange(max_len, dtype=torch.float64)
    angle = position[:, None] * torch.exp(-math.log(10000) * even / d_model) + quarter
    table = angle.sin().float()
    table[0, 1::2] = 1.0
    return table
# %% solution="positional_encoding"
class PositionalEncoding(nn.Dropout):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__(p=dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        rows = self.encoding.split(x.size(1))[0]
        if len(rows) < x.size(1):
            raise ValueError(f"x has {x.size(1)} positions, max_len is only {len(self.encoding)}")
        return super().forward(torch.add(x, rows.expand_as(x)))
