# A mask is made where none was given, and put where it does not belong; two norms are one.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: if target_mask is None:      # a decoder must not look ahead
# lines: target_mask = causal_mask(t, x.device)
# lines: both = target_mask & memory_mask
# lines: self.norm1 = self.norm2 = LayerNorm(d_model)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        assert eps >= 0
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        assert x.shape[-1] == self.d_model, x.shape
        x = x - x.mean(dim=-1, keepdim=True)
        x = x / (x.pow(2).mean(dim=-1, keepdim=True) + self.eps).sqrt()
        return x * self.weight + self.bias

# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = self.linear1(x)
        h = torch.where(h > 0, h, torch.zeros_like(h))
        return self.linear2(self.drop(h))

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = self.norm2 = LayerNorm(d_model)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attended = self.drop1(self.self_attn(x, x, x, mask))
        x = self.norm1(attended + x)
        thought = self.drop2(self.feed_forward(x))
        return self.norm2(thought + x)

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1, self.norm2, self.norm3 = [LayerNorm(d_model) for _ in "123"]
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        t, t_memory = x.shape[1], memory.shape[1]
        if target_mask is None:      # a decoder must not look ahead
            target_mask = causal_mask(t, x.device)
        both = memory_mask
        if memory_mask is not None and t == t_memory:
            both = target_mask & memory_mask
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.drop(self.cross_attn(x, memory, memory, both)))
        return self.norm3(x + self.drop(self.feed_forward(x)))
