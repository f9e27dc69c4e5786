# A batch axis in the buffer, too long inputs unnoticed, the root of the wrong attribute.
# fails: embedding_scale, embedding_gradients, position_too_long, position_buffer
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        scale = self.embedding.num_embeddings**0.5
        return scale * self.embedding(tokens)
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = sinusoidal_encoding(max_len, d_model)
        pe = pe.unsqueeze(0)
        self.register_buffer("encoding", pe, persistent=False)

    def forward(self, x):
        x = x + self.encoding[:, : x.size(1)].requires_grad_(False)
        return self.dropout(x)
