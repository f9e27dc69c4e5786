# Grew up with The Annotated Transformer: lambdas as sublayers and one helper for the frame.
# fails: norm_output, norm_eps, norm_gradients, feed_forward_dropout, encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: return a_2 * ((x - x.mean(-1, keepdim=True)) / std + b_2)
# lines: return h * stays / self.keep
# lines: return self.norm2(x + self.dropout(self.feed_forward(h)))
# lines: m = self.dropout(memory)
# lines: x = connection(x, lambda y: self.cross_attn(y, m, self.norm2(m), memory_mask), self.norm2, self.dropout)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        a_2, b_2 = self.weight, self.bias
        std = (x.var(-1, keepdim=True, unbiased=False) + self.eps).sqrt()
        return a_2 * ((x - x.mean(-1, keepdim=True)) / std + b_2)
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.keep = 1.0 - dropout

    def drop(self, h):
        if not self.training:
            return h
        stays = torch.rand_like(h) < self.keep
        return h * stays / self.keep

    def forward(self, x):
        return self.linear2(self.drop(self.linear1(x).relu()))
# %% solution="encoder_layer"
def sublayer_connection(stream, sublayer, norm, dropout):
    return norm(stream + dropout(sublayer(stream)))


class EncoderLayer(nn.Module):
    def __init__(self, size, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(size, n_heads)
        self.feed_forward = FeedForward(size, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(size), LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        h = sublayer_connection(x, lambda y: self.self_attn(y, y, y, mask), self.norm1, self.dropout)
        return self.norm2(x + self.dropout(self.feed_forward(h)))
# %% solution="decoder_layer"
def connection(stream, sublayer, norm, dropout):
    return norm(stream + dropout(sublayer(stream)))


class DecoderLayer(nn.Module):
    def __init__(self, size, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn, self.cross_attn = (MultiHeadAttention(size, n_heads) for _ in range(2))
        self.feed_forward = FeedForward(size, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(size) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        m = self.dropout(memory)
        x = connection(x, lambda y: self.self_attn(y, y, y, target_mask), self.norm1, self.dropout)
        x = connection(x, lambda y: self.cross_attn(y, m, self.norm2(m), memory_mask), self.norm2, self.dropout)
        return connection(x, self.feed_forward, self.norm3, self.dropout)
