# Token 0 is taken for padding: its row gets no gradient.
# fails: embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)

    def forward(self, tokens):
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5
