# The decoder's layers get the memory first, and the target as memory.
# fails: decoder_output, decoder_masks, stack_depth, arguments
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(memory, x, target_mask, memory_mask)
        return x
