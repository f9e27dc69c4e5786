# Inside, the axis of the positions comes first, as torch's own modules have it by default.
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.layers = nn.Sequential(nn.Dropout(p=dropout), nn.Identity())
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        x = x.transpose(0, 1)  # (t, batch, d_model)
        if x.shape[0] > self.max_len:
            raise ValueError(f"length {x.shape[0]} > {self.max_len}")
        x = x + self.encoding.unsqueeze(1)[: x.shape[0]]
        return self.layers(x).transpose(0, 1)


# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, scale_grad_by_freq=False)

    def forward(self, tokens):
        scaled = self.embedding.weight * self.embedding.weight.size(1) ** 0.5
        return nn.functional.embedding(tokens.t(), scaled).transpose(0, 1)
