# Words are hidden in training when nobody asked for it, and the last frame adds to the first one.
# fails: decoder_*, norm_eps, norm_gradients, feed_forward_dropout, encoder_dropout, encoder_gradients
# lines: y = c * d**0.5 / torch.sqrt(ss + self.eps)
# lines: keep = torch.bernoulli(torch.full_like(h[:1], 1 - p))
# lines: self.feed_forward = FeedForward(d_model, d_ff)
# lines: if target_mask is None and self.training:
# lines: target_mask = causal_mask(x.size(1), device=x.device)
# lines: return self.norm3(s1 + self.dropout(self.feed_forward(s2)))
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        d = x.size(-1)
        c = x - x.mean(-1, keepdim=True)
        ss = (c * c).sum(-1, keepdim=True)
        y = c * d**0.5 / torch.sqrt(ss + self.eps)
        return y * self.weight + self.bias

# %% solution="feed_forward"
def drop(h, p):
    if p >= 1:
        return torch.zeros_like(h)
    keep = torch.bernoulli(torch.full_like(h[:1], 1 - p))
    return h * keep / (1 - p)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        h = self.linear1(x).clamp(min=0)
        if self.training:
            h = drop(h, self.p)
        return self.linear2(h)

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if target_mask is None and self.training:
            # teacher forcing: all words are there at once, so the later ones must be hidden
            target_mask = causal_mask(x.size(1), device=x.device)
        s1 = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        s2 = self.norm2(s1 + self.dropout(self.cross_attn(s1, memory, memory, memory_mask)))
        return self.norm3(s1 + self.dropout(self.feed_forward(s2)))
