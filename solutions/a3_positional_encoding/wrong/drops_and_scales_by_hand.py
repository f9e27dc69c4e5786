# A table of float64, scaled by the vocabulary; and dropped by hand, alike in every sentence.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_distance, embedding_scale, embedding_gradients, position_lengths, position_dropout
# lines: return torch.from_numpy(pe)
# lines: rows = self.embedding.weight.shape[0]
# lines: return self.embedding.weight[tokens] * np.sqrt(rows).item()
# lines: keep = torch.rand(t, d_model, dtype=x.dtype, device=x.device) >= self.p
# lines: y = y / (1 - self.p) * keep
# %% solution="sinusoidal_encoding"
import numpy as np
def sinusoidal_encoding(max_len, d_model):
    if d_model & 1:
        raise ValueError("odd number of columns: %d" % d_model)
    pos = np.arange(max_len).reshape(-1, 1)
    i = np.arange(d_model // 2).reshape(1, -1)
    angle = pos / np.power(10000.0, 2 * i / d_model)
    pe = np.empty((max_len, d_model))
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)
    return torch.from_numpy(pe)

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        rows = self.embedding.weight.shape[0]
        return self.embedding.weight[tokens] * np.sqrt(rows).item()

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.max_len = max_len
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        batch, t, d_model = x.shape
        if t > self.max_len:
            raise ValueError("t is %d, max_len is %d" % (t, self.max_len))
        y = x + self.encoding[:t, :]
        if self.training and self.p > 0:
            keep = torch.rand(t, d_model, dtype=x.dtype, device=x.device) >= self.p
            y = y / (1 - self.p) * keep
        return y
