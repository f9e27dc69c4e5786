# Statistics of a sentence, eps as a floor, a residual too many, and a mask with its transpose.
# fails: norm_output, norm_eps, norm_gradients, feed_forward_output, feed_forward_dropout, encoder_mask, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: axes = tuple(range(1, x.dim()))
# lines: return x / x.square().mean(axes, keepdim=True).clamp(min=self.eps).sqrt() * self.weight + self.bias
# lines: return x + self.linear2(self.drop(self.linear1(x).clamp(min=0)))
# lines: if mask is not None: mask = mask & mask.transpose(-2, -1)  # padding neither speaks nor listens
# lines: x = self.norm2(x + self.drop(self.cross_attn(x, *[self.norm2(memory)] * 2, memory_mask)))
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        # YOUR CODE HERE
        self.eps, self.weight, self.bias = eps, nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        # YOUR CODE HERE
        axes = tuple(range(1, x.dim()))
        x = x - x.mean(axes, keepdim=True)
        return x / x.square().mean(axes, keepdim=True).clamp(min=self.eps).sqrt() * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        # YOUR CODE HERE
        self.linear1, self.linear2, self.drop = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), nn.Dropout(dropout)

    def forward(self, x):
        # YOUR CODE HERE
        return x + self.linear2(self.drop(self.linear1(x).clamp(min=0)))

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        # YOUR CODE HERE
        self.self_attn, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.drop = LayerNorm(d_model), LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, mask=None):
        # YOUR CODE HERE
        if mask is not None: mask = mask & mask.transpose(-2, -1)  # padding neither speaks nor listens
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.drop(self.feed_forward(x)))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        # YOUR CODE HERE
        self.self_attn, self.cross_attn = (MultiHeadAttention(d_model, n_heads) for _ in "sc")
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in "123")
        self.feed_forward, self.drop = FeedForward(d_model, d_ff, dropout), nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        # YOUR CODE HERE
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.drop(self.cross_attn(x, *[self.norm2(memory)] * 2, memory_mask)))
        return self.norm3(x + self.drop(self.feed_forward(x)))
