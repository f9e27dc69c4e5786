# Layers are copies of a first one, in a subclass of nn.Sequential; the output comes first.
# %%
from copy import deepcopy

from torch import nn


class Layers(nn.Sequential):
    def forward(self, x, *others):
        for layer in self:
            x = layer(x, *others)
        return x

# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = Layers(
            *(deepcopy(EncoderLayer(d_model, n_heads, d_ff, dropout)) for _ in range(n_layers))
        )

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        return self.layers(x, mask)

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = Layers(
            *(deepcopy(DecoderLayer(d_model, n_heads, d_ff, dropout)) for _ in range(n_layers))
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        return self.layers(x, memory, target_mask, memory_mask)
