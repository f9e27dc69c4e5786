# Gradients by frequency, a dropout that divides by 0, and too long is what torch refuses to add.
# fails: embedding_gradients, position_lengths, position_too_long, position_dropout
# lines: self.embedding = nn.Embedding(vocab_size, d_model, scale_grad_by_freq=True)
# lines: return x * keep / (1 - self.p)
# lines: except RuntimeError:
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        # frequent words ("the") should not dominate
        self.embedding = nn.Embedding(vocab_size, d_model, scale_grad_by_freq=True)
        self.d_model = d_model

    def forward(self, tokens):
        return self.embedding(tokens).mul(self.d_model ** 0.5)

# %% solution="positional_encoding"
class InvertedDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = (torch.rand_like(x) >= self.p).to(x.dtype)
        return x * keep / (1 - self.p)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.drop = InvertedDropout(dropout)

    def forward(self, x):
        t, max_len = x.shape[1], self.encoding.shape[0]
        try:
            placed = x + self.encoding[:t]
        except RuntimeError:
            raise ValueError(f"x has {t} positions, the table only {max_len}") from None
        return self.drop(placed)
