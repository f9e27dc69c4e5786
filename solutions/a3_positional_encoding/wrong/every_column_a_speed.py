# A student who gives each column a speed of its own and drops out of the table only.
# fails: encoding_values, encoding_far, encoding_odd_size, encoding_distance, position_lengths, position_dropout
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model & 1:
        raise ValueError("d_model has to be even")
    pos = torch.arange(max_len, dtype=torch.float64).reshape(-1, 1)
    col = torch.arange(d_model, dtype=torch.float64).reshape(1, -1)
    angles = pos / torch.pow(10000.0, col / d_model)
    is_even = torch.arange(d_model) % 2 == 0
    return torch.where(is_even, angles.sin(), angles.cos()).float()
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.drop = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        b, t, d = x.shape
        if t > self.max_len:
            raise ValueError(f"{t} positions, but the table has {self.max_len}")
        place = self.encoding[:t].expand(b, t, d)
        return x + self.drop(place)
