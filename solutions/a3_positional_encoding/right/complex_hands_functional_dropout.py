# The cosine is a sine a quarter turn ahead; dropout is a function.
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    if d_model & 1:
        raise ValueError(f"an odd number of columns: {d_model}")
    speed = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(1e4) / d_model))
    angle = torch.outer(torch.arange(max_len, dtype=torch.float64), speed)
    # cos is sin a quarter turn ahead
    both = torch.sin(torch.stack((angle, angle + math.pi / 2), dim=2))
    return both.reshape(max_len, d_model).to(torch.get_default_dtype())

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        weight = self.embedding.weight
        return weight[tokens] * math.sqrt(weight.shape[1])

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len, self.p = max_len, dropout
        self.register_buffer("encoding", None, persistent=False)
        self.encoding = sinusoidal_encoding(max_len, d_model)

    def forward(self, x):
        if (t := x.shape[-2]) > self.max_len:
            raise ValueError(f"{t=} exceeds max_len={self.max_len}")
        x = x + self.encoding.narrow(0, 0, t)
        return nn.functional.dropout(x, self.p, self.training)
