# A student who names every intermediate result, and mixes them up.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attended = self.drop1(self.self_attn(query=x, key=x, value=x, mask=mask))
        after_attention = self.norm1(x + attended)
        thought = self.drop2(self.feed_forward(after_attention))
        after_thinking = self.norm2(x + thought)
        return after_thinking
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
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)
        self.drop3 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if memory_mask is None:
            memory_mask = target_mask
        attended = self.drop1(self.self_attn(query=x, key=x, value=x, mask=target_mask))
        after_attention = self.norm1(x + attended)
        looked_up = self.drop2(
            self.cross_attn(query=after_attention, key=memory, value=memory, mask=memory_mask)
        )
        after_cross = self.norm2(after_attention + looked_up)
        thought = self.drop3(self.feed_forward(after_cross))
        return self.norm3(after_cross + thought)
