# The embedding is scaled by half of d_model, and dropout draws once for all words.
# fails: embedding_scale, embedding_gradients, position_dropout
# lines: return self.embedding(tokens) * self.d_model ** 1 / 2
# lines: keep = torch.rand_like(y[:, :1]) >= self.p  # variational dropout
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        return self.embedding(tokens) * self.d_model ** 1 / 2

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t = x.size(1)
        if t > self.encoding.size(0):
            raise ValueError(f"{t} positions, but only {self.encoding.size(0)} have a row")
        y = x + self.encoding[:t]
        if not self.training or self.p == 0:
            return y
        if self.p == 1:
            return y * 0
        keep = torch.rand_like(y[:, :1]) >= self.p  # variational dropout
        return y * keep / (1 - self.p)
