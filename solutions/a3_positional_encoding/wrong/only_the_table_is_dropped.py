# PositionalEncoding applies dropout to the rows of the table before it adds them.
# fails: position_lengths, position_dropout
# lines: return x + self.dropout(self.encoding[:n_tokens, :].expand_as(x))
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1):
        super().__init__()
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("encoding", table, persistent=False)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x):
        n_tokens = x.size(1)
        max_tokens = self.encoding.size(0)
        if n_tokens > max_tokens:
            raise ValueError(f"x has {n_tokens} tokens, but max_len is only {max_tokens}")
        return x + self.dropout(self.encoding[:n_tokens, :].expand_as(x))

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int):
        super().__init__()
        self.embedding_dim = d_model
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)

    def forward(self, tokens):
        return self.embedding(tokens) * (self.embedding_dim**0.5)
