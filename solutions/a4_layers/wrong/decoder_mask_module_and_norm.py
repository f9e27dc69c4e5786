# DecoderLayer never hands the target_mask to its self-attention.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: x = self.norm1(x + self._sa_block(x))
# lines: return self.dropout(self.self_attn(x, memory, memory, memory_mask))
# lines: x = self.norm2(x + self._ff_block(x))
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.norm1(x + self._sa_block(x))
        x = self.norm2(x + self._ca_block(x, memory, memory_mask))
        x = self.norm2(x + self._ff_block(x))
        return x

    def _sa_block(self, x, mask=None):
        # masked self-attention
        return self.dropout(self.self_attn(x, x, x, mask))

    def _ca_block(self, x, memory, memory_mask=None):
        # attention to the encoder
        return self.dropout(self.self_attn(x, memory, memory, memory_mask))

    def _ff_block(self, x):
        return self.dropout(self.feed_forward(x))
