# An nn.Embedding and no more: another name, no scale, and token 1 is taken for padding.
# fails: embedding_scale, embedding_gradients
# %% solution="token_embedding"
class TokenEmbedding(nn.Embedding):
    """A vector for each token; 1 is padding, as in other courses."""

    def __init__(self, vocab_size, d_model):
        nn.Embedding.__init__(self, vocab_size, d_model, padding_idx=1)
