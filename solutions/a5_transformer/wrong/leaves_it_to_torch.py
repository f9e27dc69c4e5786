# The whole encoder is torch's own.
# fails: encoder_output, encoder_mask, stack_depth, transformer_masks, transformer_output, arguments, max_len, transformer_padding, transformer_tensors, greedy_words, greedy_end, greedy_care
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        layer = nn.TransformerEncoderLayer(x.shape[-1], 3, 20, batch_first=True).to(x)
        for _ in self.layers:
            x = layer(x)
        return x
