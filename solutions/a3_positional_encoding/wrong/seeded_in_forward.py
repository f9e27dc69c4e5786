# A seed from a comparison of two runs stays in forward, and the root of d_model is a whole number.
# fails: embedding_scale, embedding_gradients, position_dropout
# lines: torch.manual_seed(1234)
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.times = int(d_model**0.5)

    def forward(self, tokens):
        return self.times * self.embedding(tokens)


# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("encoding", table, persistent=False)

    def forward(self, x):
        most, wanted = len(self.encoding), x.shape[1]
        if wanted > most:
            raise ValueError(f"{wanted} positions are asked for, the table has {most}")
        torch.manual_seed(1234)
        return self.drop(x + self.encoding[:wanted])
