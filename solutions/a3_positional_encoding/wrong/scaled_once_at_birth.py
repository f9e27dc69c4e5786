# TokenEmbedding multiplies its fresh weights by the root of d_model once, in __init__.
# fails: embedding_scale, embedding_gradients, position_buffer
# lines: self.embedding.weight.data *= d_model**0.5
# lines: self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model))
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    """Tokens to vectors."""

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        # scale by sqrt(d_model), section 3.4
        self.embedding.weight.data *= d_model**0.5

    def forward(self, tokens):
        return self.embedding(tokens)

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        # a buffer: moves with the module, is not trained
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model))

    def forward(self, x):
        seq_len, max_len = x.size(1), self.encoding.size(0)
        if seq_len > max_len:
            raise ValueError(f"got {seq_len} positions, max_len is {max_len}")
        x = x + self.encoding[:seq_len].unsqueeze(0)
        return self.dropout(x)
