# Dropout by hand with one coin a column; eps as a floor; a frame around the wrong x.
# fails: norm_eps, norm_gradients, feed_forward_dropout, encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_dropout, decoder_gradients
# lines: std = torch.sqrt(torch.maximum(var, floor))
# lines: d_ff = h.shape[-1]
# lines: keep = torch.rand((d_ff,), device=h.device) >= p
# lines: x2 = self.norm2(torch.add(x, self.drop2(thought)))
# lines: source = memory.detach()
# lines: x3 = self.norm3(torch.add(x2, thought))
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones((d_model,)))
        self.bias = nn.Parameter(torch.zeros((d_model,)))

    def forward(self, x):
        mu = torch.sum(x, -1, keepdim=True) / self.d_model
        centred = torch.subtract(x, mu)
        var = torch.sum(torch.square(centred), -1, keepdim=True) / self.d_model
        # eps keeps the root away from zero
        floor = torch.full_like(var, self.eps)
        std = torch.sqrt(torch.maximum(var, floor))
        return torch.multiply(torch.divide(centred, std), self.weight) + self.bias

# %% solution="feed_forward"
def drop_units(h, p, training):
    if not training or p == 0:
        return h
    if p == 1:
        return h.masked_fill(torch.ones_like(h, dtype=torch.bool), 0.0)
    d_ff = h.shape[-1]
    keep = torch.rand((d_ff,), device=h.device) >= p
    return torch.multiply(h, keep.to(h.dtype)) / (1 - p)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        h = torch.relu(self.linear1(x))
        h = drop_units(h, self.p, self.training)
        return self.linear2(h)

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        # frame 1
        heard = self.self_attn(x, x, x, mask)
        x1 = self.norm1(torch.add(x, self.drop1(heard)))
        # frame 2
        thought = self.feed_forward(x1)
        x2 = self.norm2(torch.add(x, self.drop2(thought)))
        return x2

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
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        # the memory is only read
        source = memory.detach()
        # frame 1
        heard = self.self_attn(x, x, x, target_mask)
        x1 = self.norm1(torch.add(x, self.drop1(heard)))
        # frame 2
        looked_up = self.cross_attn(x1, source, source, memory_mask)
        x2 = self.norm2(torch.add(x1, self.drop2(looked_up)))
        # frame 3
        thought = self.feed_forward(x2)
        x3 = self.norm3(torch.add(x2, thought))
        return x3
