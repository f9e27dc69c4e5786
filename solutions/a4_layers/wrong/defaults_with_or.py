# Over-engineers: base classes, frames as objects, configuration defaults with "or".
# fails: norm_output, norm_gradients, feed_forward_dropout, encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_masks, decoder_dropout, decoder_gradients
# lines: super().__init__(d_model=d_model, eps=eps or 1e-5)
# lines: coins = self.dropout(torch.ones_like(hidden.reshape(-1, hidden.shape[-1])[0]))
# lines: return norm((stream + dropout(sublayer(stream))) * 0.5**0.5)
# lines: self.dropout = nn.Dropout(dropout or 0.1)
# lines: return self.self_attn(stream, stream, stream, target_mask if self.training else None)
# %% solution="layer_norm"
class _Configured(nn.Module):
    """Keep the sizes for repr."""

    def __init__(self, **config):
        super().__init__()
        self.config = config

    def extra_repr(self):
        return ", ".join(f"{key}={value}" for key, value in self.config.items())


class LayerNorm(_Configured):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model=d_model, eps=eps or 1e-5)
        for name, start in {"weight": nn.init.ones_, "bias": nn.init.zeros_}.items():
            self.register_parameter(name, nn.Parameter(start(torch.empty(d_model))))

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) / (variance + self.config["eps"]) ** 0.5 * self.weight + self.bias
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        coins = self.dropout(torch.ones_like(hidden.reshape(-1, hidden.shape[-1])[0]))
        return self.linear2(hidden * coins)
# %% solution="encoder_layer"
class _Frame:
    """One frame of a layer: not a module, so that it owns no parameters."""

    def __init__(self, sublayer, norm, dropout):
        self.parts = sublayer, norm, dropout

    def __call__(self, stream):
        sublayer, norm, dropout = self.parts
        return norm((stream + dropout(sublayer(stream))) * 0.5**0.5)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        def listen(stream):
            return self.self_attn(stream, stream, stream, mask)

        frames = _Frame(listen, self.norm1, self.dropout), _Frame(self.feed_forward, self.norm2, self.dropout)
        for frame in frames:
            x = frame(x)
        return x
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = map(LayerNorm, [d_model] * 3)
        self.dropout = nn.Dropout(dropout or 0.1)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        def look_back(stream):
            return self.self_attn(stream, stream, stream, target_mask if self.training else None)

        def look_over(stream):
            return self.cross_attn(stream, memory, memory, memory_mask)

        plan = zip([look_back, look_over, self.feed_forward], [self.norm1, self.norm2, self.norm3])
        for sublayer, norm in plan:
            x = norm(x + self.dropout(sublayer(x)))
        return x
