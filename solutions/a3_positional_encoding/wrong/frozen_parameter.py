# A Matlab user who counts from one and freezes a parameter.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_distance, position_lengths, position_buffer
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 == 1:
        raise ValueError(str(d_model) + " is odd")
    PE = torch.zeros(max_len, d_model)
    pos = torch.linspace(1, max_len, max_len, dtype=torch.double)
    for i in range(d_model // 2):
        omega = 1 / 10000 ** (2 * i / d_model)
        PE[:, 2 * i] = torch.sin(omega * pos)
        PE[:, 2 * i + 1] = torch.cos(omega * pos)
    return PE
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.encoding = nn.Parameter(sinusoidal_encoding(max_len, d_model), requires_grad=False)
        self.dropout = nn.Dropout(dropout)
        self.max_len = max_len

    def forward(self, x):
        t = x.shape[1]
        if t >= self.max_len:
            raise ValueError("t = %d, max_len = %d" % (t, self.max_len))
        return self.dropout(x + self.encoding[0:t, :])
