# The table comes from lists and math; dropout is written by hand with a Bernoulli draw.
# %% solution="sinusoidal_encoding"
from math import cos, sin


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError("odd number of columns: " + repr(d_model))
    def row(pos):
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            yield sin(angle)
            yield cos(angle)
    return torch.tensor([list(row(pos)) for pos in range(max_len)], dtype=torch.float32)
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.factor = d_model**0.5

    def forward(self, tokens):
        return nn.functional.embedding(tokens, self.embedding.weight * self.factor)
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len, self.dropout = max_len, dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t = x.shape[1]
        if t > self.max_len:
            raise ValueError(f"{t} positions are too many for max_len {self.max_len}")
        total = x + self.encoding[:t]
        if not self.training or self.dropout == 0:
            return total
        if self.dropout == 1:
            return total * 0.0
        keep = torch.rand_like(total) >= self.dropout
        return torch.where(keep, total / (1 - self.dropout), 0.0)
