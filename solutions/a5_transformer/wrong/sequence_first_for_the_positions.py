# The encoder turns to sequence first for the positions alone, and these run along the batch.
# fails: encoder_output, encoder_mask, stack_depth
# lines: src = self.positional_encoding(src.transpose(0, 1)).transpose(0, 1)  # (S, N, E)
# %% solution="encoder"
from given import EncoderLayer, PositionalEncoding, TokenEmbedding
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super(Encoder, self).__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff, dropout) for i in range(n_layers)]
        )
        self.max_len = max_len

    def forward(self, tokens, mask=None):
        seq_len = tokens.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence of {seq_len} tokens, but max_len is {self.max_len}")
        src = self.token_embedding(tokens)
        src = self.positional_encoding(src.transpose(0, 1)).transpose(0, 1)  # (S, N, E)
        output = src
        for mod in self.layers:
            output = mod(output, mask)
        return output
