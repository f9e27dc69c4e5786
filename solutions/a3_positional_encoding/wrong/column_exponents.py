# A speed for each column instead of each pair, a frozen parameter for a buffer, and += in forward.
# fails: encoding_values, encoding_far, encoding_distance, position_lengths, position_buffer, position_tensors
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError("odd d_model: " + str(d_model))
    columns = torch.arange(d_model, dtype=torch.float64)
    positions = torch.arange(max_len, dtype=torch.float64)
    table = positions[:, None] / 10000 ** (columns[None, :] / d_model)
    table[:, 0::2] = table[:, 0::2].sin()
    table[:, 1::2] = table[:, 1::2].cos()
    return table.to(torch.get_default_dtype())
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.drop = nn.Dropout(dropout)
        self.encoding = nn.Parameter(sinusoidal_encoding(max_len, d_model), requires_grad=False)

    def forward(self, x):
        batch, t, d_model = x.shape
        if t > self.max_len:
            raise ValueError(f"t={t} > max_len={self.max_len}")
        x += self.encoding[:t, :]
        return self.drop(x)
