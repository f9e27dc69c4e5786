# The frame is a method of its own.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + self.eps) * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        x = self.linear1(x).clamp(min=0)
        x = nn.functional.dropout(x, self.p, training=self.training)
        return self.linear2(x)

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def add(self, norm, stream, said):
        """The frame: drop out, add, norm."""
        return norm(stream + self.dropout(said))

    def forward(self, x, mask=None):
        x = self.add(self.norm1, x, self.self_attn(x, x, x, mask))
        return self.add(self.norm2, x, self.feed_forward(x))

# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, n_heads, d_ff, dropout)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.norm3 = LayerNorm(d_model)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.add(self.norm1, x, self.self_attn(x, x, x, target_mask))
        x = self.add(self.norm2, x, self.cross_attn(x, memory, memory, memory_mask))
        return self.add(self.norm3, x, self.feed_forward(x))
