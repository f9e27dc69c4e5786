# Encoder and Decoder pass dropout to the positional encoding but not on to their layers.
# fails: arguments
# lines: [EncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)]
# lines: [DecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)]
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)]
        )

    def forward(self, tokens, mask=None):
        out = self.positional_encoding(self.token_embedding(tokens))
        for block in self.layers:
            out = block(out, mask=mask)
        return out

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)]
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        out = self.positional_encoding(self.token_embedding(tokens))
        for block in self.layers:
            out = block(out, memory, target_mask=target_mask, memory_mask=memory_mask)
        return out
