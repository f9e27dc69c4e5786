# Performance hacker: flattens, works in place wherever it can, keeps constants as buffers.
# fails: norm_parameters, norm_eps, norm_gradients, feed_forward_dropout, encoder_mask, encoder_gradients, decoder_dropout
# lines: self.register_buffer("eps", torch.tensor(eps))
# lines: rows = x.view(-1, self.weight.numel())
# lines: self.drop = nn.AlphaDropout(dropout)
# lines: mask = mask | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
# lines: return self.norm3(self.feed_forward(stream).add_(stream))
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model).fill_(1))
        self.bias = nn.Parameter(torch.empty(d_model).fill_(0))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x):
        rows = x.view(-1, self.weight.numel())
        rows = rows - rows.mean(1, True)
        scale = rows.square().mean(1, True).add_(self.eps).rsqrt_()
        return torch.addcmul(self.bias, rows * scale, self.weight).view(x.shape)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.act = nn.ReLU(inplace=True)
        self.drop = nn.AlphaDropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        h = self.linear1(x)
        return self.linear2(self.drop(self.act(h)))
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        if mask is not None:
            # the diagonal has to be open, or the softmax divides by zero
            mask = mask | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
        stream = self.norm1(self.drop(self.self_attn(x, x, x, mask)).add_(x))
        return self.norm2(self.drop(self.feed_forward(stream)).add_(stream))
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = LayerNorm(d_model), LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        stream = self.norm1(self.drop(self.self_attn(x, x, x, target_mask)).add_(x))
        stream = self.norm2(self.drop(self.cross_attn(stream, memory, memory, memory_mask)).add_(stream))
        # the network drops already inside
        return self.norm3(self.feed_forward(stream).add_(stream))
