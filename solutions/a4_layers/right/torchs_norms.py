# torch's LayerNorm in the layers, a dropout of its own for each sublayer, pieces in lists.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.register_buffer("eps", torch.tensor(eps, dtype=torch.float64), persistent=False)

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
        return self.weight * (x - mean) / (variance + self.eps.item()) ** 0.5 + self.bias


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))

    def forward(self, x, mask=None):
        steps = [(lambda x: self.self_attn(x, x, x, mask), self.norm1), (self.feed_forward, self.norm2)]
        for (sublayer, norm), dropout in zip(steps, self.dropouts):
            x = norm(x + dropout(sublayer(x)))
        return x


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        for i in (1, 2, 3):
            setattr(self, f"norm{i}", nn.LayerNorm(d_model, eps=1e-5))
            setattr(self, f"dropout{i}", nn.Dropout(dropout))
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.norm1(x + self.dropout1(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout2(self.cross_attn(x, memory, memory, memory_mask)))
        x = self.norm3(x + self.dropout3(self.feed_forward(x)))
        return x
