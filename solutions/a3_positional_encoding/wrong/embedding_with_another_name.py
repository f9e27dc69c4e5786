# The parameter has another name.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        x = self.embed(tokens)
        return x * x.shape[-1] ** 0.5
