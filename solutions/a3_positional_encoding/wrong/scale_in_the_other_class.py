# The scale is in PositionalEncoding, and not in TokenEmbedding.
# fails: embedding_scale, embedding_gradients, position_added, position_lengths, position_tensors
# lines: return self.embedding(tokens)
# lines: x = x * self.d_model ** 0.5
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        return self.embedding(tokens)

# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        seq_len = x.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence of {seq_len} is longer than max_len {self.max_len}")
        # make embeddings relatively larger
        x = x * self.d_model ** 0.5
        # add constant to embedding
        x = x + self.encoding[:seq_len]
        return self.dropout(x)
