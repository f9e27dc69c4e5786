# The norm registers its parameters by name.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("bias", nn.Parameter(torch.zeros_like(self.weight)))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        scale = self.weight * torch.rsqrt(var + self.eps)
        return (x - mean) * scale + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        hidden = x @ self.linear1.weight.T + self.linear1.bias
        hidden = hidden * (hidden > 0)
        if self.training:
            stay = torch.rand_like(hidden) >= self.p
            hidden = torch.where(stay, hidden / max(1 - self.p, 1e-30), 0)
        return hidden @ self.linear2.weight.T + self.linear2.bias

# %% solution="encoder_layer"
class _Frame(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, said, norm):
        return norm(self.dropout(said).add(x))
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.frame = _Frame(dropout)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm2 = LayerNorm(d_model)

    def forward(self, x, mask=None):
        heard = self.frame(x, self.self_attn(*[x] * 3, mask), self.norm1)
        return self.frame(heard, self.feed_forward(heard), self.norm2)

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.frame = _Frame(dropout)
        self.self_attn, self.cross_attn = [MultiHeadAttention(d_model, n_heads) for _ in "ab"]
        self.norm1, self.norm2, self.norm3 = map(LayerNorm, [d_model] * 3)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        back = self.frame(x, self.self_attn(*[x] * 3, target_mask), self.norm1)
        over = self.frame(back, self.cross_attn(back, *[memory] * 2, memory_mask), self.norm2)
        return self.frame(over, self.feed_forward(over), self.norm3)
