# The scale is a float64 tensor, which makes float32 float64.
# fails: embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.root = torch.tensor([d_model], dtype=torch.float64).sqrt()

    def forward(self, tokens):
        return self.embedding(tokens) * self.root
