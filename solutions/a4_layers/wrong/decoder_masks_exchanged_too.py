# DecoderLayer gives the memory_mask to its self-attention.
# fails: decoder_masks, decoder_dropout, decoder_gradients
# lines: out, residual = self.self_attn(x, x, x, mask=memory_mask), x
# lines: out, residual = self.cross_attn(x, memory, memory, mask=target_mask), x
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x, mask=None):
        out, residual = self.self_attn(x, x, x, mask=mask), x
        x = self.norm1(residual + self.drop1(out))
        out, residual = self.feed_forward(x), x
        x = self.norm2(residual + self.drop2(out))
        return x

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.drop1, self.drop2, self.drop3 = (nn.Dropout(dropout) for _ in range(3))

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        # the target looks at itself
        out, residual = self.self_attn(x, x, x, mask=memory_mask), x
        x = self.norm1(residual + self.drop1(out))
        # the target looks at the source
        out, residual = self.cross_attn(x, memory, memory, mask=target_mask), x
        x = self.norm2(residual + self.drop2(out))
        # and thinks about it
        out, residual = self.feed_forward(x), x
        x = self.norm3(residual + self.drop3(out))
        return x
