# Each row is the one before, turned by one and the same rotation; the classes inherit from torch's.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"{d_model} columns are not pairs")
    turn = 10000.0 ** (-torch.arange(0, d_model, 2).double() / d_model)
    sine, cosine = torch.zeros_like(turn), torch.ones_like(turn)
    rows = []
    for _ in range(max_len):
        rows.append(torch.stack([sine, cosine]).T.reshape(-1))
        sine, cosine = (
            sine * turn.cos() + cosine * turn.sin(),
            cosine * turn.cos() - sine * turn.sin(),
        )
    return torch.stack(rows).type(torch.get_default_dtype())


# %% solution="positional_encoding"
class PositionalEncoding(nn.Dropout):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__(p=dropout)
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("encoding", table, persistent=False)

    def forward(self, x, start=0):
        end = start + x.shape[1]
        if end > self.encoding.shape[0]:
            raise ValueError(f"position {end} does not exist, there are {self.encoding.shape[0]}")
        return super().forward(x + self.encoding[start:end])
