# Sigma squared again, 0 over 0, twice dropped, a rate not passed on, and x changed in place.
# fails: norm_eps, feed_forward_dropout, encoder_dropout, decoder_dropout, decoder_gradients
# lines: sigma = ((a - mu) ** 2).mean(-1, keepdim=True) ** 0.5
# lines: return (a - mu) / (sigma**2 + eps) ** 0.5
# lines: return a * keep / (1 - p)
# lines: heard = self.dropout(self.self_attn(x, x, x, mask))
# lines: return norm(stream + dropout(said))
# lines: thought = self.dropout(self.feed_forward(x))
# lines: self.feed_forward = FeedForward(d_model, d_ff)
# lines: x += self.dropout(self.self_attn(x, x, x, target_mask))
# %% solution="layer_norm"
def standardize(a, eps):
    # (a - mean) / std along the last axis, as one writes it with numpy
    mu = a.mean(-1, keepdim=True)
    sigma = ((a - mu) ** 2).mean(-1, keepdim=True) ** 0.5
    return (a - mu) / (sigma**2 + eps) ** 0.5


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = (nn.Parameter(torch.full((d_model,), v)) for v in (1.0, 0.0))

    def forward(self, x):
        return self.weight * standardize(x, self.eps) + self.bias

# %% solution="feed_forward"
def drop(a, p, training):
    if not training or p == 0:
        return a
    keep = torch.rand(a.shape, device=a.device) >= p
    return a * keep / (1 - p)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        h = self.linear1(x)
        h = h * (h > 0)
        return self.linear2(drop(h, self.p, self.training))

# %% solution="encoder_layer"
def frame(stream, said, dropout, norm):
    # one frame: what the sublayer said, dropped, added and normed
    return norm(stream + dropout(said))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        heard = self.dropout(self.self_attn(x, x, x, mask))
        x = frame(x, heard, self.dropout, self.norm1)
        thought = self.dropout(self.feed_forward(x))
        return frame(x, thought, self.dropout, self.norm2)

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x += self.dropout(self.self_attn(x, x, x, target_mask))
        x = self.norm1(x)
        x = frame(x, self.cross_attn(x, memory, memory, memory_mask), self.dropout, self.norm2)
        return frame(x, self.feed_forward(x), self.dropout, self.norm3)
