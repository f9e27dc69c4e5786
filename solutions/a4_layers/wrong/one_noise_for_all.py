# Pieces are cut along axis 1, and all sentences are dropped alike.
# fails: feed_forward_output, encoder_dropout
# %% solution="feed_forward"
class FeedForward(nn.Module):
    ROWS = 4  # the wide numbers in between exist for so many positions at a time

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        if x.dim() == 1:
            return self._part(x)
        return torch.cat([self._part(part) for part in x.split(self.ROWS, dim=1)], dim=1)

    def _part(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu_()))
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        # random numbers are expensive: draw them once, both frames can use them
        noise = self.drop(torch.ones_like(x[:1]))
        x = self.norm1(x + self.self_attn(x, x, x, mask) * noise)
        return self.norm2(x + self.feed_forward(x) * noise)
