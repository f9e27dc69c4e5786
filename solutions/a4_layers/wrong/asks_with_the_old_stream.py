# A decoder in pre-norm order whose cross-attention asks with the x that came in.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
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
        y = self.norm1(x)
        h = x + self.dropout(self.self_attn(y, y, y, target_mask))
        # now ask the encoder
        y = self.norm2(x)
        h = h + self.dropout(self.cross_attn(y, memory, memory, memory_mask))
        h = h + self.dropout(self.feed_forward(self.norm3(h)))
        return h
