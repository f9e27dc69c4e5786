# What the cross-attention says is added to the layer's input.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: h2 = self.norm2(x + self.dropout(crossed))
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        attended = self.self_attn(query=x, key=x, value=x, mask=target_mask)
        h1 = self.norm1(x + self.dropout(attended))
        crossed = self.cross_attn(query=h1, key=memory, value=memory, mask=memory_mask)
        h2 = self.norm2(x + self.dropout(crossed))
        thought = self.feed_forward(h2)
        return self.norm3(h2 + self.dropout(thought))
