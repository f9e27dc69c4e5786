# Feed-forward dropped twice and not divided, dropout as eps, a memory that cannot learn.
# fails: norm_gradients, feed_forward_dropout, encoder_dropout, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: mu, mu2 = x.mean(-1, keepdim=True), (x * x).mean(-1, keepdim=True)
# lines: var = (mu2 - mu * mu).clamp(min=0.0)
# lines: h = torch.where(keep, h, torch.zeros_like(h))
# lines: return self.norm2(y + self.drop(z))
# lines: z = self.drop(self.feed_forward(y))
# lines: kv = memory.detach()
# lines: self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model, dropout) for _ in range(3))
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mu, mu2 = x.mean(-1, keepdim=True), (x * x).mean(-1, keepdim=True)
        var = (mu2 - mu * mu).clamp(min=0.0)
        return (x - mu) * ((var + self.eps).rsqrt() * self.weight) + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.rate = dropout
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        h = self.linear1(x).clamp(min=0.0)
        if self.training:
            keep = torch.rand(h.shape, device=h.device) >= self.rate
            h = torch.where(keep, h, torch.zeros_like(h))
        return self.linear2(h)

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        y = self.norm1(x + self.drop(self.self_attn(x, x, x, mask)))
        z = self.drop(self.feed_forward(y))
        return self.norm2(y + self.drop(z))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn, self.cross_attn = (MultiHeadAttention(d_model, n_heads) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model, dropout) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        kv = memory.detach()
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.drop(self.cross_attn(x, kv, kv, memory_mask)))
        return self.norm3(x + self.drop(self.feed_forward(x)))
