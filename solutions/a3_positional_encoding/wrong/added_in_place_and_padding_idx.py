# PositionalEncoding adds the table to x in place, which changes the caller's tensor.
# fails: embedding_gradients, position_lengths, position_tensors
# lines: x += self.encoding[: x.size(1), :]
# lines: self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2:
        raise ValueError(f"odd d_model: {d_model}")
    pos = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
    _2i = torch.arange(0, d_model, step=2, dtype=torch.float)
    encoding = torch.zeros(max_len, d_model)
    encoding[:, 0::2] = torch.sin(pos / (10000 ** (_2i / d_model)))
    encoding[:, 1::2] = torch.cos(pos / (10000 ** (_2i / d_model)))
    return encoding

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super(TokenEmbedding, self).__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.embed_size = d_model

    def forward(self, tokens):
        return self.embedding(tokens) * self.embed_size**0.5

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super(PositionalEncoding, self).__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "encoding", sinusoidal_encoding(max_len, d_model), persistent=False
        )

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"{x.size(1)} > max_len = {self.max_len}")
        x += self.encoding[: x.size(1), :]
        return self.dropout(x)
