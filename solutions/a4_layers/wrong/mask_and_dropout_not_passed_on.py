# The encoder layer's mask and the decoder layer's dropout are not passed on.
# fails: encoder_mask, encoder_gradients, decoder_dropout, decoder_gradients
# lines: attn = self.self_attn(x, x, x)
# lines: self.feed_forward = FeedForward(d_model, d_ff)
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()

        # attention block
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = LayerNorm(d_model)

        # feed forward block
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm2 = LayerNorm(d_model)

        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attn = self.self_attn(x, x, x)
        x = self.norm1(x + self.dropout(attn))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        attn = self.self_attn(x, x, x, target_mask)
        x = self.norm1(x + self.dropout(attn))
        attn = self.cross_attn(x, memory, memory, memory_mask)
        x = self.norm2(x + self.dropout(attn))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
