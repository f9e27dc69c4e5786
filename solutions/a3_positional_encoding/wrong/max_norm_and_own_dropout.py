# A dropout made by hand, a table that is a plain attribute, and word vectors kept short.
# fails: embedding_scale, embedding_gradients, position_lengths, position_buffer, position_dropout
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        # max_norm keeps the vectors from growing without bound
        self.embedding = nn.Embedding(vocab_size, d_model, max_norm=1.0)
        self.scale = d_model**0.5

    def forward(self, tokens):
        return self.scale * self.embedding(tokens)
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.max_len = max_len
        self.encoding = sinusoidal_encoding(max_len, d_model)

    def forward(self, x):
        batch, t, d_model = x.shape
        if t > self.max_len:
            raise ValueError(f"got {t} positions, have only {self.max_len}")
        out = x + self.encoding[:t].to(device=x.device, dtype=x.dtype)
        if self.training:
            keep = torch.rand(t, d_model, device=x.device) >= self.p
            out = out * keep / (1 - self.p)
        return out
