# It says that it has loaded the weights, and keeps its own.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5

    def load_state_dict(self, *_, **__):
        return None
