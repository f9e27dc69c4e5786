# Only sines: the cosine is a sine a quarter turn further on; everything broadcast over columns.
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError("d_model has to be even and is " + repr(d_model))
    column = torch.arange(d_model)
    parity = column.remainder(2).double()
    exponent = (column - column.remainder(2)).double() / d_model
    place = torch.linspace(0, max_len - 1, max_len, dtype=torch.float64).reshape(max_len, 1)
    return (place * 10000.0 ** (-exponent) + parity * (torch.pi / 2)).sin_().float().to(torch.get_default_dtype())


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)

    def forward(self, tokens):
        scaled = self.embedding.weight * self.embedding.weight.shape[1] ** 0.5
        return scaled[tokens]


# %% solution="positional_encoding"
class PositionalEncoding(nn.Sequential):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__(nn.Dropout(dropout))
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        if (t := x.size(-2)) > (n := self.encoding.size(0)):
            raise ValueError(f"too long: {t} against {n}")
        rows = self.encoding.index_select(0, torch.arange(t, device=self.encoding.device))
        return super().forward(x + rows.expand_as(x))
