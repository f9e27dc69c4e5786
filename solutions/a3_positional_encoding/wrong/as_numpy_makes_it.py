# Exponents over max_len in float64, a padding row, the share to keep, and x changed in place.
# fails: encoding_first_row, encoding_values, encoding_far, encoding_distance, embedding_gradients, position_lengths, position_dropout, position_tensors
# lines: angles = pos / np.power(10000, two_i / max_len)
# lines: return torch.from_numpy(pe)
# lines: self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
# lines: self.dropout = nn.Dropout(1 - dropout)
# lines: x += self.encoding[np.newaxis, :t]
# %% solution="sinusoidal_encoding"
import numpy as np


def sinusoidal_encoding(max_len, d_model):
    if d_model & 1:
        raise ValueError("d_model is odd: %d" % d_model)
    pos = np.arange(max_len)[:, np.newaxis]
    two_i = np.arange(0, d_model, 2)[np.newaxis, :]
    angles = pos / np.power(10000, two_i / max_len)
    pe = np.zeros((max_len, d_model))
    pe[:, 0::2] = np.sin(angles)
    pe[:, 1::2] = np.cos(angles)
    return torch.from_numpy(pe)

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.factor = float(np.sqrt(d_model))

    def forward(self, tokens):
        vectors = self.embedding(tokens)
        return vectors * self.factor

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(1 - dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        batch, t, d_model = x.shape
        if t > self.max_len:
            raise ValueError("t = %d, but max_len = %d" % (t, self.max_len))
        x += self.encoding[np.newaxis, :t]
        return self.dropout(x)
