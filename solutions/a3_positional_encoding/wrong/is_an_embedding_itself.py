# Inherits from nn.Embedding, so that the parameter has another name.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Embedding):
    # an embedding is all that is needed, so be one
    def __init__(self, vocab_size, d_model):
        super().__init__(vocab_size, d_model)
        self.width = d_model

    def forward(self, tokens):
        return super().forward(tokens) * self.width ** 0.5
