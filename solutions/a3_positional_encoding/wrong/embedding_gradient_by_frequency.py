# nn.Embedding is told to divide gradients by how often a token occurs.
# fails: embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, scale_grad_by_freq=True)

    def forward(self, tokens):
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5
