# A careful student who fears NaN and wrong shapes, and guards against both.
# fails: norm_eps, norm_gradients, encoder_mask, encoder_gradients, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model), requires_grad=True)
        self.register_buffer("bias", torch.zeros(d_model))

    def forward(self, x):
        mean = torch.mean(x, dim=-1, keepdim=True)
        centered = x - mean
        variance = torch.mean(centered * centered, dim=-1, keepdim=True)
        # avoid a division by zero
        safe = torch.where(variance == 0, torch.full_like(variance, self.eps), variance)
        normalized = centered / torch.sqrt(safe)
        return self.weight * normalized + self.bias
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout_attn = nn.Dropout(dropout)
        self.dropout_ff = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        if mask is not None:
            t = x.size(1)
            # a row without any True would give NaN in the softmax, so open the diagonal
            if mask.dim() >= 2 and mask.size(-2) == t and mask.size(-1) == t:
                mask.diagonal(dim1=-2, dim2=-1).fill_(True)
            else:
                mask = mask | torch.eye(t, dtype=torch.bool, device=mask.device)
        attn = self.self_attn(x, x, x, mask)
        x = self.norm1(x + self.dropout_attn(attn))
        ff = self.feed_forward(x)
        x = self.norm2(x + self.dropout_ff(ff))
        return x
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        assert x.dim() == 3, "expected (batch, t, d_model)"
        assert x.shape == memory.shape, f"{tuple(x.shape)} and {tuple(memory.shape)} do not match"
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, memory_mask)))
        x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x
