# A ReLU with a ceiling, as models of speech have it, and dropouts in a list that eval misses.
# fails: feed_forward_output, feed_forward_dropout, encoder_dropout
# lines: self.nonlin = nn.Hardtanh(min_val=0.0, max_val=20.0)
# lines: self.dropouts = [nn.Dropout(dropout), nn.Dropout(dropout)]
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.nonlin = nn.Hardtanh(min_val=0.0, max_val=20.0)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.drop(self.nonlin(self.linear1(x))))

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropouts = [nn.Dropout(dropout), nn.Dropout(dropout)]

    def forward(self, x, mask=None):
        heard = self.self_attn(x, x, x, mask=mask)
        x = self.norm1(x + self.dropouts[0](heard))
        return self.norm2(x + self.dropouts[1](self.feed_forward(x)))
