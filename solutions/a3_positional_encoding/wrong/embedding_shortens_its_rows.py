# nn.Embedding is told to shorten rows that are longer than 1.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, max_norm=1.0)

    def forward(self, tokens):
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5
