# A root for a cosine, rows shortened, a table that grows, and rows repeated one by one.
# fails: encoding_values, encoding_far, encoding_distance, embedding_scale, embedding_gradients, position_added, position_lengths, position_too_long, position_dropout
# lines: cosines = (1 - sines**2).sqrt()
# lines: self.embedding = nn.Embedding(vocab_size, d_model, max_norm=1.0)
# lines: self.max_len = n_words
# lines: self.encoding = sinusoidal_encoding(n_words, width).to(self.encoding)
# lines: places = self.encoding[:n_words].repeat_interleave(n_sentences, 0)
# lines: kept = (torch.rand_like(x) >= p).to(x.dtype)
# %% solution="sinusoidal_encoding"
def hand_angles(max_len, d_model):
    steps = torch.arange(max_len, dtype=torch.float64)
    speeds = torch.tensor([10000.0 ** (-k / d_model) for k in range(0, d_model, 2)]).double()
    return torch.outer(steps, speeds)


def interleave(even, odd):
    return torch.stack((even, odd), dim=2).reshape(even.shape[0], -1)


def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"no half hands: d_model={d_model}")
    angles = hand_angles(max_len, d_model)
    sines = angles.sin()
    cosines = (1 - sines**2).sqrt()
    return interleave(sines, cosines).float()

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, max_norm=1.0)

    def forward(self, tokens):
        return self.embedding(tokens).mul(self.embedding.embedding_dim**0.5)

# %% solution="positional_encoding"
def keep_some(x, p):
    kept = (torch.rand_like(x) >= p).to(x.dtype)
    return x * kept / torch.tensor(1 - p, dtype=x.dtype, device=x.device)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len, self.dropout = max_len, dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        n_sentences, n_words, width = x.shape
        if n_words > self.max_len:
            self.max_len = n_words
            self.encoding = sinusoidal_encoding(n_words, width).to(self.encoding)
        places = self.encoding[:n_words].repeat_interleave(n_sentences, 0)
        y = (x.reshape(-1, width) + places).reshape(x.shape)
        return keep_some(y, self.dropout) if self.training else y
