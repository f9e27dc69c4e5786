# A norm that spares constants, as for columns of a table; masks are dropped at a glance.
# fails: norm_eps, encoder_mask, decoder_masks
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        rest = x - x.mean(-1, keepdim=True)
        spread = (rest**2).mean(-1, keepdim=True)
        # where nothing varies there is nothing to bring to size 1
        spread = spread.masked_fill(spread == 0, 1.0)
        return rest / (spread + self.eps) ** 0.5 * self.weight + self.bias

# %% solution="encoder_layer"
def shortened(mask):
    # most sentences have no padding, and attention is faster without a mask
    if mask is not None and bool(mask[0].all()):
        return None
    return mask


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, shortened(mask))))
        return self.norm2(x + self.drop(self.feed_forward(x)))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        target_mask, memory_mask = shortened(target_mask), shortened(memory_mask)
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.drop(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + self.drop(self.feed_forward(x)))
