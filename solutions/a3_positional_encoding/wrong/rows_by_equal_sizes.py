# Rows are of sentences where there are as many sentences as positions.
# fails: position_added
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
