# FeedForward drops the d_model numbers that come in, not the d_ff numbers behind the ReLU.
# fails: feed_forward_dropout
# lines: x = self.linear1(self.dropout(x))
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super(FeedForward, self).__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x):
        x = self.linear1(self.dropout(x))
        x = self.relu(x)
        x = self.linear2(x)
        return x

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super(EncoderLayer, self).__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(p=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm2 = LayerNorm(d_model)
        self.dropout2 = nn.Dropout(p=dropout)

    def forward(self, x, mask=None):
        # 1. self-attention, add and norm
        _x = x
        x = self.self_attn(x, x, x, mask)
        x = self.dropout1(x)
        x = self.norm1(x + _x)

        # 2. feed-forward, add and norm
        _x = x
        x = self.feed_forward(x)
        x = self.dropout2(x)
        x = self.norm2(x + _x)
        return x
