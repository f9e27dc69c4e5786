# Every step has a name; the layers' norms are torch's.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("bias", nn.Parameter(torch.zeros(d_model)))
        self.eps = eps

    def forward(self, x):
        distance = x - x.mean(dim=-1, keepdim=True)
        variance = (distance * distance).sum(dim=-1, keepdim=True) / x.shape[-1]
        return torch.addcmul(self.bias, distance / (variance + self.eps) ** 0.5, self.weight)

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        # not registered under names of their own: neither has parameters
        self.between = nn.Sequential(nn.ReLU(inplace=True), nn.Dropout(dropout))

    def forward(self, x):
        return self.linear2(self.between(self.linear1(x)))

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)
        self.attention_dropout = nn.Dropout(p=dropout)
        self.feed_forward_dropout = nn.Dropout(p=dropout)

    def forward(self, x, mask=None):
        attention_output = self.self_attn(x, x, x, mask=mask)
        attention_output = self.attention_dropout(attention_output)
        x = self.norm1(x + attention_output)

        feed_forward_output = self.feed_forward(x)
        feed_forward_output = self.feed_forward_dropout(feed_forward_output)
        x = self.norm2(x + feed_forward_output)
        return x
