# Token 0 is taken for padding: it becomes zeros.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        x = self.embedding(tokens) * self.embedding.embedding_dim**0.5
        return x * (tokens != 0)[..., None]
