# The norm shares its mean over all positions; two frames share one norm.
# fails: norm_output, norm_eps, norm_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: axes = tuple(range(1, x.dim()))
# lines: self.norm2 = self.norm3 = nn.LayerNorm(d_model)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    # Lecture 7: LN averages over the features of ONE sample, BN over the batch.
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        axes = tuple(range(1, x.dim()))
        if not axes:
            axes = (0,)
        sigma2, mu = torch.var_mean(x, dim=axes, correction=0, keepdim=True)
        return (x - mu) / (sigma2 + self.eps).sqrt() * self.weight + self.bias


# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn, self.cross_attn = (MultiHeadAttention(d_model, n_heads) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = self.norm3 = nn.LayerNorm(d_model)
        self.p = dropout

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        D = lambda z: nn.functional.dropout(z, self.p, self.training)
        h1 = self.norm1(x + D(self.self_attn(x, x, x, target_mask)))
        h2 = self.norm2(h1 + D(self.cross_attn(h1, memory, memory, memory_mask)))
        h3 = self.norm3(h2 + D(self.feed_forward(h2)))
        return h3
