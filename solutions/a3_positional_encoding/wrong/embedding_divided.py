# The embedding is divided by the root of d_model.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.root = d_model**0.5

    def forward(self, tokens):
        return self.embedding(tokens) / self.root
