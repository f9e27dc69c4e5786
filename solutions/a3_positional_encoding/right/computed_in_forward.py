# The buffer is there; what forward adds is computed anew, in x's dtype and where x is.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"an odd number of columns, {d_model}")
    return rows(torch.arange(max_len, dtype=torch.get_default_dtype()), d_model)


def rows(position, d_model):
    pairs = torch.arange(d_model // 2, dtype=position.dtype, device=position.device)
    angle = position.unsqueeze(-1) / torch.pow(10000, 2 * pairs / d_model)
    return torch.stack((torch.sin(angle), torch.cos(angle)), dim=2).reshape(-1, d_model)


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.vocab_size, self.d_model = vocab_size, d_model
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        weight = self.embedding.weight
        one_hot = nn.functional.one_hot(tokens, self.vocab_size).to(weight.dtype)
        return one_hot @ (weight * self.d_model**0.5)


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.d_model, self.max_len = d_model, max_len
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        t = x.shape[1]
        if not t <= self.max_len:
            raise ValueError(f"the sequence is too long: {t} positions of {self.max_len}")
        return self.dropout(x + rows(torch.arange(t, dtype=x.dtype, device=x.device), self.d_model))
