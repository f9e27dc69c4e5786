# EncoderLayer adds the feed-forward network's answer to the input of the whole layer.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients
# lines: return self.norm2(x + self.dropout2(ff))
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attn_output = self.self_attn(x, x, x, mask)
        hidden = self.norm1(x + self.dropout1(attn_output))

        ff = self.feed_forward(hidden)
        return self.norm2(x + self.dropout2(ff))

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
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        attn_output = self.self_attn(x, x, x, target_mask)
        x = self.norm1(x + self.dropout1(attn_output))

        attn_output = self.cross_attn(x, memory, memory, memory_mask)
        x = self.norm2(x + self.dropout2(attn_output))

        x = self.norm3(x + self.dropout3(self.feed_forward(x)))
        return x
