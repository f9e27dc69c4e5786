# A loop over pairs of a sublayer and its norm, with lambdas; the norm by var_mean.
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.empty(d_model).fill_(1)))
        self.register_parameter("bias", nn.Parameter(torch.empty(d_model).zero_()))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean).div(torch.sqrt(variance.add(self.eps))), self.weight)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        inner = torch.where((a := self.linear1(x)) > 0, a, torch.zeros_like(a))
        return self.linear2(nn.functional.dropout(inner, self.p, training=self.training))
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        stream = x
        for sublayer, norm in (
            (lambda s: self.self_attn(s, s, s, mask), self.norm1),
            (self.feed_forward, self.norm2),
        ):
            stream = norm(stream + self.dropout(sublayer(stream)))
        return stream
# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    """An encoder layer with one more frame in its middle."""

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, n_heads, d_ff, dropout)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.norm3 = LayerNorm(d_model)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        said = self.self_attn(x, x, x, mask=target_mask)
        x = self.norm1(self.dropout(said) + x)
        said = self.cross_attn(x, memory, memory, mask=memory_mask)
        x = self.norm2(self.dropout(said) + x)
        said = self.feed_forward(x)
        return self.norm3(self.dropout(said) + x)
