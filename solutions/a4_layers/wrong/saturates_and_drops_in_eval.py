# Numbers in between saturate at 1, and the decoder's dropouts stand in a plain tuple.
# fails: feed_forward_output, feed_forward_dropout, decoder_dropout
# lines: inner = torch.clamp(self.linear1(x), 0, 1)
# lines: self.drops = tuple(nn.Dropout(dropout) for _ in range(3))
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x):
        inner = torch.clamp(self.linear1(x), 0, 1)
        return self.linear2(self.dropout(inner))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.drops = tuple(nn.Dropout(dropout) for _ in range(3))

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        first, second, third = self.drops
        x = self.norm1(x + first(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + second(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + third(self.feed_forward(x)))
