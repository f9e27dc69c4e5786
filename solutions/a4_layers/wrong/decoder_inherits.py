# The decoder layer calls the encoder layer first, so that the network comes before the memory.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: x = super().forward(x, target_mask)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))
        self.eps = eps

    def forward(self, x):
        d = x.shape[-1]
        mu = x.sum(-1, keepdim=True) / d
        dist = x - mu
        sigma = ((dist * dist).sum(-1, keepdim=True) / d + self.eps) ** 0.5
        return dist / sigma * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = self.linear1(x).clamp(min=0)
        return self.linear2(self.dropout(hidden))

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def add(self, x, said):
        return x + self.dropout(said)

    def forward(self, x, mask=None):
        x = self.norm1(self.add(x, self.self_attn(x, x, x, mask)))
        x = self.norm2(self.add(x, self.feed_forward(x)))
        return x

# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    """An encoder layer that also looks at memory."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, n_heads, d_ff, dropout)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.norm3 = LayerNorm(d_model)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = super().forward(x, target_mask)
        return self.norm3(self.add(x, self.cross_attn(x, memory, memory, memory_mask)))
