# Each pair of columns is one complex number, multiplied by itself from row to row.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model & 1:
        raise ValueError(f"d_model must be even: {d_model}")
    frequencies = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
    one_step = torch.exp(1j * frequencies)
    hands = torch.stack([one_step**pos for pos in range(max_len)])
    return torch.view_as_real(hands).flip(-1).reshape(max_len, d_model).float()


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.add_module("embedding", nn.Embedding(vocab_size, d_model))

    def forward(self, tokens):
        vectors = self.embedding(tokens)
        return vectors / vectors.shape[-1] ** -0.5


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    encoding: torch.Tensor

    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), False)

    def forward(self, x):
        batch, t, d_model = x.shape
        max_len = self.encoding.size(0)
        if t > max_len:
            raise ValueError(f"max_len={max_len} < t={t}")
        return self.dropout(torch.add(x, self.encoding.narrow(0, 0, t).expand(batch, t, d_model)))
