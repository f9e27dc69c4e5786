# Dropout is built from scratch, too.
# fails: feed_forward_dropout, encoder_dropout
# %% solution="feed_forward"
class FeedForward(nn.Module):
    """max(0, x W1 + b1) W2 + b2, with inverted dropout on the hidden numbers."""

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def _dropout(self, h):
        if not self.training:
            return h
        keep = (torch.rand_like(h) >= self.p).to(h.dtype)
        return h * keep / (1 - self.p)

    def forward(self, x):
        h = torch.clamp(self.linear1(x), min=0)
        h = self._dropout(h)
        return self.linear2(h)
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def _frame(self, x, said, norm):
        summed = x + said
        return norm(self.dropout(summed))

    def forward(self, x, mask=None):
        x = self._frame(x, self.self_attn(x, x, x, mask), self.norm1)
        x = self._frame(x, self.feed_forward(x), self.norm2)
        return x
