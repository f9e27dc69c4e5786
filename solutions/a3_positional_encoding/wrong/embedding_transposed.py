# The sizes of the embedding are in each other's place.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(d_model, vocab_size)

    def forward(self, tokens):
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5
