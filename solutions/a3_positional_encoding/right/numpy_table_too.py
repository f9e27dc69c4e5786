# The table is made with numpy.
# %% solution="sinusoidal_encoding"
import numpy as np


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"d_model has to be even, but is {d_model}")
    table = np.zeros((max_len, d_model))
    position = np.arange(max_len)
    for i in range(0, d_model, 2):
        angle = position / np.power(10000, i / d_model)
        table[:, i] = np.sin(angle)
        table[:, i + 1] = np.cos(angle)
    return torch.tensor(table, dtype=torch.get_default_dtype())

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.scale = float(np.sqrt(d_model))
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, mean=0.0, std=d_model ** -0.5)

    def forward(self, tokens):
        return self.scale * self.embedding(tokens)

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        batch, t, d_model = x.shape
        max_len = self.encoding.size(0)
        if max_len < t:
            raise ValueError(f"only {max_len} positions, but the sequence has {t}")
        places = self.encoding[:t, :].unsqueeze(0).expand(batch, -1, -1)
        return self.drop(torch.add(x, places))
