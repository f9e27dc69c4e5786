# A dropout by hand divides 0 by 0 where all is dropped; the encoder layer does not pass its on.
# fails: feed_forward_dropout, encoder_dropout, encoder_gradients
# lines: return h * keep / (1 - self.p)
# lines: self.feed_forward = FeedForward(d_model, d_ff)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mu = x.sum(dim=-1, keepdim=True) / self.d_model
        distance = x - mu
        sigma2 = (distance * distance).sum(dim=-1, keepdim=True) / self.d_model
        y = distance / (sigma2 + self.eps) ** 0.5
        return y * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def drop(self, h):
        # only in training: each number falls out with probability p
        if not self.training:
            return h
        keep = torch.rand_like(h) >= self.p
        return h * keep / (1 - self.p)

    def forward(self, x):
        h = torch.relu(self.linear1(x))
        h = self.drop(h)
        return self.linear2(h)

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        a = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.dropout1(a))
        f = self.feed_forward(x)
        x = self.norm2(x + self.dropout2(f))
        return x

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        a = self.self_attn(x, x, x, target_mask)
        x = self.norm1(x + self.dropout1(a))
        c = self.cross_attn(x, memory, memory, memory_mask)
        x = self.norm2(x + self.dropout2(c))
        f = self.feed_forward(x)
        x = self.norm3(x + self.dropout3(f))
        return x
