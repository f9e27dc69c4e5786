# eps as a floor, dropout at the end, the input read again, and norms in another order.
# fails: norm_eps, norm_gradients, feed_forward_dropout, encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: std = torch.sqrt(var.clamp(min=self.eps))
# lines: return self.dropout(self.linear2(self.linear1(x).relu()))
# lines: thought = self.feed_forward(x)
# lines: setattr(self, name, LayerNorm(d_model, eps=1e-6))
# lines: x = sublayer_connection(x, self.cross_attn(x, m, m, memory_mask), self.norm3, self.dropout)
# lines: return sublayer_connection(x, self.feed_forward(x), self.norm2, self.dropout)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True, unbiased=False)
        std = torch.sqrt(var.clamp(min=self.eps))
        return self.weight * (x - mean) / std + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.linear2(self.linear1(x).relu()))

# %% solution="encoder_layer"
def sublayer_connection(x, said, norm, dropout):
    return norm(x + dropout(said))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attended = sublayer_connection(x, self.self_attn(x, x, x, mask), self.norm1, self.dropout)
        thought = self.feed_forward(x)
        return sublayer_connection(attended, thought, self.norm2, self.dropout)

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for name in ("norm1", "norm2", "norm3"):
            setattr(self, name, LayerNorm(d_model, eps=1e-6))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        m = memory
        x = sublayer_connection(x, self.self_attn(x, x, x, target_mask), self.norm1, self.dropout)
        x = sublayer_connection(x, self.cross_attn(x, m, m, memory_mask), self.norm3, self.dropout)
        return sublayer_connection(x, self.feed_forward(x), self.norm2, self.dropout)
