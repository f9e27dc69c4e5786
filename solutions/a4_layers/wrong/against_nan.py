# The diagonal is always allowed; what cross_attn says is added to x.
# fails: encoder_mask, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: mask = mask | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
# lines: h2 = self.norm2(x + self.dropout(self.cross_attn(h1, memory, memory, memory_mask)))
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        if mask is not None:
            # a row that is False throughout gives nan in the softmax, so leave each position itself
            mask = mask | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
        h1 = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        h2 = self.norm2(h1 + self.dropout(self.feed_forward(h1)))
        return h2


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        h1 = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        h2 = self.norm2(x + self.dropout(self.cross_attn(h1, memory, memory, memory_mask)))
        h3 = self.norm3(h2 + self.dropout(self.feed_forward(h2)))
        return h3
