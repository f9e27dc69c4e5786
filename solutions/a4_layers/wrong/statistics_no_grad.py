# Thinks of batch norm's running statistics as constants, and that a decoder is always causal.
# fails: norm_eps, norm_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: @torch.no_grad()
# lines: target_mask = causal_mask(x.size(1), device=x.device)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.full((d_model,), 1.0)))
        self.register_parameter("bias", nn.Parameter(torch.full((d_model,), 0.0)))
        self.eps = eps

    @torch.no_grad()
    def _statistics(self, x):
        """Mean and variance of each position; they are statistics, nothing to be learned."""
        var, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
        return mean, var

    def forward(self, x):
        mean, var = self._statistics(x)
        return torch.addcmul(self.bias, self.weight, (x - mean) / (var + self.eps) ** 0.5)
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if target_mask is None:
            # the decoder must never see the future
            target_mask = causal_mask(x.size(1), device=x.device)
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, memory_mask)))
        x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x
