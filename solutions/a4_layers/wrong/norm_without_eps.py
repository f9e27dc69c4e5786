# LayerNorm keeps eps but never adds it to the variance.
# fails: norm_eps, norm_gradients
# lines: std = ((x - mean) ** 2).mean(dim=-1, keepdim=True).sqrt()
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(d_model))
        self.bias = nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        # biased: divide by d_model
        std = ((x - mean) ** 2).mean(dim=-1, keepdim=True).sqrt()
        normalized = (x - mean) / std
        return self.weight * normalized + self.bias

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def self_attention(self, qkv, mask=None):
        output = self.self_attn(qkv, qkv, qkv, mask)
        return self.norm1(qkv + self.dropout(output))

    def ffnn(self, x):
        output = self.feed_forward(x)
        return self.norm2(x + self.dropout(output))

    def forward(self, x, mask=None):
        return self.ffnn(self.self_attention(x, mask))
