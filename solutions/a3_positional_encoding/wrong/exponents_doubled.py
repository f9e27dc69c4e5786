# sinusoidal_encoding doubles an i that already runs over the even columns.
# fails: encoding_values, encoding_far
# lines: table[:, i] = torch.sin(pos / (10000 ** ((2 * i) / d_model)))
# lines: table[:, i + 1] = torch.cos(pos / (10000 ** ((2 * i) / d_model)))
# %% solution="sinusoidal_encoding"
def sinusoidal_encoding(max_len, d_model):
    if d_model % 2 != 0:
        raise ValueError("d_model has to be even, not %d" % d_model)
    table = torch.zeros(max_len, d_model)
    pos = torch.arange(max_len, dtype=torch.float64)
    # a sine and a cosine for each i
    for i in range(0, d_model, 2):
        table[:, i] = torch.sin(pos / (10000 ** ((2 * i) / d_model)))
        table[:, i + 1] = torch.cos(pos / (10000 ** ((2 * i) / d_model)))
    return table

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        # make embeddings relatively larger
        return self.embedding(tokens) * self.d_model**0.5
