# The embedding is made with padding_idx=0: token 0 never gets a gradient.
# fails: embedding_gradients
# lines: self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)

    def forward(self, tokens):
        out = self.embedding(tokens) * self.d_model ** 0.5
        return out
