# An axis of size 1 gets lost.
# fails: embedding_scale
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        return self.embedding(tokens).squeeze() * self.embedding.embedding_dim**0.5
