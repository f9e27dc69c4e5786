# Causal where no mask is passed, and the memory's mask is joined with the target's.
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
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        # a decoder must never see the future!
        if target_mask is None:
            target_mask = causal_mask(x.size(1), x.device)
        x = self.norm1(x + self.dropout1(self.self_attn(x, x, x, target_mask)))
        if memory_mask is not None:
            memory_mask = memory_mask & target_mask
        x = self.norm2(x + self.dropout2(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + self.dropout3(self.feed_forward(x)))
