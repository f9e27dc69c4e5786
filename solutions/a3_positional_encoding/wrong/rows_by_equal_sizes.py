# Angles are added up, and rows are of sentences where there are as many as positions.
# fails: encoding_far, position_added, position_lengths
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 == 1:
        raise ValueError("d_model is odd: " + str(d_model))
    table = torch.zeros(max_len, d_model)
    speed = torch.zeros(d_model // 2)
    for i in range(d_model // 2):
        speed[i] = 1 / 10000 ** (2 * i / d_model)
    angle = torch.zeros(d_model // 2)
    for pos in range(max_len):
        table[pos, 0::2] = torch.sin(angle)
        table[pos, 1::2] = torch.cos(angle)
        angle = angle + speed  # all hands go on by one step
    return table
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t = x.shape[1]
        if t > self.max_len:
            raise ValueError("t = " + str(t) + " but max_len = " + str(self.max_len))
        rows = self.encoding[:t]
        # I do not trust broadcasting: give the table the missing axis
        if rows.shape[0] == x.shape[0]:
            rows = rows.reshape(x.shape[0], 1, x.shape[2])
        else:
            rows = rows.reshape(1, t, x.shape[2])
        return self.dropout(x + rows)
