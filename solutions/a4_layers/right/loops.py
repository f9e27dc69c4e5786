# Loops over positions and sentences: right, and slow. The decoder layer inherits the encoder's.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        rows = []
        for row in x.reshape(-1, x.shape[-1]):
            mean = row.sum() / len(row)
            variance = ((row - mean) ** 2).sum() / len(row)
            rows.append((row - mean) / (variance + self.eps).sqrt() * self.weight + self.bias)
        return torch.stack(rows).reshape(x.shape)


# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        if x.dim() > 1:
            return torch.stack([self.forward(part) for part in x])
        return self.linear2(self.dropout(torch.maximum(self.linear1(x), x.new_zeros(()))))


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def attend(self, x, mask):
        n_heads, t = self.self_attn.n_heads, x.shape[1]
        if mask is not None:
            mask = mask.expand(len(x), n_heads, t, t)
        alone = []
        for i in range(len(x)):
            one = x[i : i + 1]
            alone.append(self.self_attn(one, one, one, None if mask is None else mask[i : i + 1]))
        return self.norm1(x + self.dropout(torch.cat(alone)))

    def forward(self, x, mask=None):
        x = self.attend(x, mask)
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, n_heads, d_ff, dropout)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.norm3 = LayerNorm(d_model)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.attend(x, target_mask)
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
