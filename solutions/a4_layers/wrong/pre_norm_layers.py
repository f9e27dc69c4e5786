# Both layers are pre-norm.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: return x + self.drop(fn(norm(x)))
# lines: return x + self.drop(block(norm(x)))
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def sublayer(self, x, norm, fn):
        return x + self.drop(fn(norm(x)))

    def forward(self, x, mask=None):
        x = self.sublayer(x, self.norm1, lambda y: self.self_attn(y, y, y, mask))
        x = self.sublayer(x, self.norm2, self.feed_forward)
        return x

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
        self.drop = nn.Dropout(dropout)

    def residual(self, x, norm, block):
        return x + self.drop(block(norm(x)))

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.residual(x, self.norm1, lambda y: self.self_attn(y, y, y, target_mask))
        x = self.residual(x, self.norm2, lambda y: self.cross_attn(y, memory, memory, memory_mask))
        return self.residual(x, self.norm3, self.feed_forward)
