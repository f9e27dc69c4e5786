# einsum with transposed weights, ReLU and dropout kept in a list.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones((d_model,)))
        self.bias = nn.Parameter(torch.zeros((d_model,)))
        self.d_model, self.eps = d_model, eps

    def forward(self, x):
        centred = x - x.sum(-1, keepdim=True) / self.d_model
        variance = torch.einsum("...i,...i->...", centred, centred) / self.d_model
        return centred * (variance + self.eps).pow(-0.5).unsqueeze(-1) * self.weight + self.bias
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.inside = [nn.ReLU(), nn.Dropout(dropout)]  # in a list: nothing of it is learned
        self.dropout = self.inside[1]

    def forward(self, x):
        for module in (self.linear1, *self.inside):
            x = module(x)
        return torch.einsum("...f,mf->...m", x, self.linear2.weight) + self.linear2.bias
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)
        self.drops = nn.ModuleList([nn.Dropout(dropout) for _ in range(2)])

    def forward(self, x, mask=None):
        y = self.norm1(torch.add(x, self.drops[0](self.self_attn(x, x, x, mask))))
        return self.norm2(torch.add(y, self.drops[1](self.feed_forward(y))))
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        parts = {
            "self_attn": MultiHeadAttention(d_model, n_heads),
            "cross_attn": MultiHeadAttention(d_model, n_heads),
            "feed_forward": FeedForward(d_model, d_ff, dropout),
            **{f"norm{i + 1}": nn.LayerNorm(d_model) for i in range(3)},
        }
        for name, part in parts.items():
            self.add_module(name, part)
        self.p = dropout

    def _frame(self, number, x, said):
        said = torch.dropout(said, self.p, self.training)
        return self.get_submodule(f"norm{number}")(x + said)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self._frame(1, x, self.self_attn(x, x, x, target_mask))
        x = self._frame(2, x, self.cross_attn(x, memory, memory, memory_mask))
        return self._frame(3, x, self.feed_forward(x))
