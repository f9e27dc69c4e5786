# The encoder's list holds one and the same layer n_layers times. So does the decoder's.
# fails: stack_depth
# lines: self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)
# lines: self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)

    def forward(self, tokens, mask=None):
        x = self.token_embedding(tokens)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads, d_ff, dropout)] * n_layers)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.token_embedding(tokens)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
        return x
