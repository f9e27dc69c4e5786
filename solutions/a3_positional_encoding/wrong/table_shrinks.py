# Each forward cuts the table down to the length of its batch, and adds it in place.
# fails: position_lengths, position_buffer, position_tensors
# lines: self.encoding = self.encoding[: x.shape[1]].to(x)
# lines: x += self.encoding
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    half, odd = divmod(d_model, 2)
    if odd:
        raise ValueError("No cosine for the last hand: d_model = {}".format(d_model))
    hand = torch.arange(half, dtype=torch.double)
    pos = torch.arange(max_len, dtype=torch.double)
    angle = pos[:, None] / torch.pow(10000.0, 2 * hand / d_model)[None, :]
    table = torch.empty(max_len, d_model)
    table[:, ::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding, self.root = nn.Embedding(vocab_size, d_model), d_model**0.5

    def forward(self, tokens):
        return self.root * self.embedding(tokens)

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len, self.p = max_len, dropout
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{x.shape[1]} > {self.max_len}")
        # right length, dtype and device in one go
        self.encoding = self.encoding[: x.shape[1]].to(x)
        x += self.encoding
        return nn.functional.dropout(x, self.p, training=self.training)
