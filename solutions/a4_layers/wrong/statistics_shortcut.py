# A student with a formula from statistics class, who wants to save time and parameters.
# fails: norm_eps, norm_gradients, encoder_output, encoder_mask, encoder_dropout, encoder_gradients
# lines: @torch.no_grad()
# lines: return m1, m2 - m1.square()  # E[x^2] - E[x]^2
# lines: self.norm1 = self.norm2 = nn.LayerNorm(d_model)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))

    @staticmethod
    @torch.no_grad()
    def stats(x):
        m1 = x.mean(dim=-1, keepdim=True)
        m2 = x.square().mean(dim=-1, keepdim=True)
        return m1, m2 - m1.square()  # E[x^2] - E[x]^2

    def forward(self, x):
        mu, var = self.stats(x)
        return (x - mu) / (var + self.eps).sqrt() * self.weight + self.bias
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x
