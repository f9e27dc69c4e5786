# The encoder scales what TokenEmbedding has scaled already.
# fails: encoder_output, encoder_mask, stack_depth
# lines: x = self.token_embedding(tokens) * math.sqrt(self.d_model)
# %% solution="encoder"
import math


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, mask=None):
        x = self.token_embedding(tokens) * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for encoder_layer in self.layers:
            x = encoder_layer(x, mask)
        return x
