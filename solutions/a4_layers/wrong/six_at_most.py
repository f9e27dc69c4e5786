# A floor for eps, a ReLU up to 6, a normed memory, and a causal mask that nobody asked for.
# fails: norm_eps, norm_gradients, feed_forward_output, feed_forward_dropout, encoder_dropout, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# lines: (missing) + self.eps
# lines: rstd = torch.rsqrt(var.clamp(min=self.eps))
# lines: hidden = F.relu6(hidden)
# lines: return self.dropout2(self.norm2(x + thought))
# lines: source = self.norm2(memory)
# lines: told = self.cross_attn(x, source, source, mask=memory_mask)
# lines: if target_mask is None:
# lines: target_mask = causal_mask(x.shape[1], device=x.device)
# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = torch.einsum("...d->...", x).unsqueeze(-1) / self.d_model
        centred = x - mean
        var = torch.einsum("...d,...d->...", centred, centred).unsqueeze(-1) / self.d_model
        rstd = torch.rsqrt(var.clamp(min=self.eps))
        return torch.einsum("...d,d->...d", centred * rstd, self.weight) + self.bias

# %% solution="feed_forward"
import torch.nn.functional as F
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        hidden = torch.einsum("...d,fd->...f", x, self.linear1.weight) + self.linear1.bias
        hidden = F.relu6(hidden)
        hidden = F.dropout(hidden, self.p, self.training)
        return torch.einsum("...f,df->...d", hidden, self.linear2.weight) + self.linear2.bias

# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        said = self.self_attn(x, x, x, mask=mask)
        x = self.norm1(x + self.dropout1(said))
        thought = self.feed_forward(x)
        return self.dropout2(self.norm2(x + thought))

# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if target_mask is None:
            target_mask = causal_mask(x.shape[1], device=x.device)
        said = self.self_attn(x, x, x, mask=target_mask)
        x = self.norm1(x + self.dropout1(said))
        source = self.norm2(memory)
        told = self.cross_attn(x, source, source, mask=memory_mask)
        x = self.norm2(x + self.dropout2(told))
        thought = self.feed_forward(x)
        return self.norm3(x + self.dropout3(thought))
