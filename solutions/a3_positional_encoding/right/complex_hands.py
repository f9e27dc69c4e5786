# A right one by a signal processing person: hands are complex numbers of length 1.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    hands, odd = divmod(d_model, 2)
    if odd:
        raise ValueError(f"{d_model} columns make no whole number of hands")
    omega = torch.logspace(0, -4, hands + 1, dtype=torch.float64)[:-1]
    phase = torch.arange(max_len, dtype=torch.float64)[:, None] * omega
    tips = torch.polar(torch.ones_like(phase), phase)
    return torch.view_as_real(tips).flip(-1).flatten(1).to(torch.get_default_dtype())
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        rows = self.embedding.weight[tokens]
        return rows * rows.shape[-1] ** 0.5
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.add_module("drop", nn.Dropout(dropout))
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        have, need = len(self.encoding), x.shape[-2]
        if need > have:
            raise ValueError(f"{need} positions are asked for, there are {have}")
        return self.drop(torch.add(x, self.encoding.narrow(0, 0, need)))
