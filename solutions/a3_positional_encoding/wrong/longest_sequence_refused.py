# PositionalEncoding refuses a sequence of exactly max_len positions as too long.
# fails: position_lengths
# lines: if seq_len >= self.max_len:
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even for sine and cosine to pair up, got {d_model}")
    positions = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    dims = torch.arange(d_model).unsqueeze(0)
    # 0 0 2 2 4 4 ...: both columns of a pair share their angle
    angle_rads = positions / torch.pow(10000.0, (2 * (dims // 2)) / d_model)
    table = torch.empty(max_len, d_model)
    table[:, 0::2] = torch.sin(angle_rads[:, 0::2])
    table[:, 1::2] = torch.cos(angle_rads[:, 1::2])
    return table

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.scale = float(d_model) ** 0.5

    def forward(self, tokens):
        return self.scale * self.embedding(tokens)

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "encoding", sinusoidal_encoding(max_len, d_model), persistent=False
        )

    def forward(self, x):
        seq_len = x.size(1)
        if seq_len >= self.max_len:
            raise ValueError(f"Sequence length {seq_len} exceeds max_len {self.max_len}")
        return self.dropout(x + self.encoding[:seq_len, :])
