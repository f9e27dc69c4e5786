# dropout reaches neither part, and half is dropped behind the positions.
# fails: arguments
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len)
        self.first = nn.Dropout()
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)])

    def forward(self, tokens, mask=None):
        x = self.first(self.positional_encoding(self.token_embedding(tokens)))
        for layer in self.layers:
            x = layer(x, mask)
        return x
