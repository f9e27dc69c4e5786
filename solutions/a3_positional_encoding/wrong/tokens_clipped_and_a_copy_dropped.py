# Clips the tokens at the number of columns, and drops in place, in what may be a copy.
# fails: embedding_scale, embedding_gradients, position_lengths, position_tensors
# lines: self.last = d_model - 1
# lines: numbers = total.flatten()
# lines: tokens = torch.clip(tokens, 0, self.last)
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.factor = d_model ** 0.5
        self.last = d_model - 1

    def forward(self, tokens):
        # otherwise: IndexError: index out of range in self
        tokens = torch.clip(tokens, 0, self.last)
        return self.embedding(tokens) * self.factor


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        t, max_len = x.shape[1], len(self.encoding)
        if t > max_len:
            raise ValueError(f"{t} positions are too many, there are {max_len}")
        total = x + self.encoding[:t]
        if not self.training or self.dropout == 0:
            return total
        numbers = total.flatten()
        numbers[torch.rand_like(numbers) < self.dropout] = 0
        return total / (1 - self.dropout) if self.dropout < 1 else total
