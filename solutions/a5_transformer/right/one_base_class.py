# Encoder and decoder inherit from one stack, and the masks are functions outside.
# %%
from functools import reduce

from given import DecoderLayer, EncoderLayer, PositionalEncoding, TokenEmbedding
from torch import nn


class Stack(nn.Module):
    layer_class = None

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        layers = [self.layer_class(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        self.layers = nn.ModuleList(layers)
        self.positional_encoding = PositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def run(self, tokens, *context):
        embedded = self.positional_encoding(self.token_embedding(tokens))
        return reduce(lambda x, layer: layer(x, *context), self.layers, embedded)

# %% solution="encoder"
class Encoder(Stack):
    layer_class = EncoderLayer

    def forward(self, tokens, mask=None):
        return self.run(tokens, mask)

# %% solution="decoder"
class Decoder(Stack):
    layer_class = DecoderLayer

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        return self.run(tokens, memory, target_mask, memory_mask)
