# Linear algebra enthusiast: norms as projections, ReLU as a product, dropout with own coins.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.scale_of_nothing = eps
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))

    def forward(self, x):
        d = x.shape[-1]
        off = x - x.sum(-1, keepdim=True) / d
        energy = torch.einsum("...i,...i->...", off, off).div(d).add(self.scale_of_nothing)
        return torch.addcmul(self.bias, off * energy.pow(-0.5)[..., None], self.weight)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.p = dropout

    def _silence(self, h):
        if not self.training or self.p == 0:
            return h
        if self.p >= 1:
            return torch.zeros_like(h)
        coins = torch.empty_like(h).bernoulli_(1 - self.p)
        return h * coins / (1 - self.p)

    def forward(self, x):
        h = x @ self.linear1.weight.mT + self.linear1.bias
        return self._silence(h * (h > 0)) @ self.linear2.weight.mT + self.linear2.bias
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        parts = [
            ("self_attn", MultiHeadAttention(d_model, n_heads)),
            ("feed_forward", FeedForward(d_model, d_ff, dropout)),
            *((f"norm{i}", LayerNorm(d_model)) for i in (1, 2)),
            ("hush", nn.Dropout(dropout)),
        ]
        for name, part in parts:
            self.add_module(name, part)

    def forward(self, x, mask=None):
        steps = {
            self.norm1: lambda s: self.self_attn(*[s] * 3, mask=mask),
            self.norm2: self.feed_forward,
        }
        for norm, step in steps.items():
            x = norm(torch.add(self.hush(step(x)), x))
        return x
# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    """An encoder layer with a third frame in its middle."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, n_heads, d_ff, dropout)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.norm3 = LayerNorm(d_model)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        steps = (
            (self.norm1, lambda s: self.self_attn(s, s, s, target_mask)),
            (self.norm2, lambda s: self.cross_attn(s, memory, memory, memory_mask)),
            (self.norm3, self.feed_forward),
        )
        for norm, step in steps:
            x = norm(torch.add(self.hush(step(x)), x))
        return x
