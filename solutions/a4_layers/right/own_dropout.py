# Dropout written by hand, in front of the ReLU, which comes to the same; norms by a product.
# %%
import torch
from torch import nn


class Drop(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        if self.p == 1:
            return torch.zeros_like(x)
        return torch.where(torch.rand_like(x) < self.p, 0.0, x / (1 - self.p))


# %% solution="layer_norm"
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(d_model).fill_(1))
        self.bias = nn.Parameter(torch.empty(d_model).zero_())

    def forward(self, x):
        d = x.size(-1)
        centred = x - x @ x.new_ones(d, 1) / d
        size = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) if self.eps == 0 else None
        if size is None:
            size = ((centred * centred).sum(-1, keepdim=True) + d * self.eps).sqrt()
        return d**0.5 * centred / size * self.weight + self.bias


# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = Drop(dropout)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.linear2(self.relu(self.drop(self.linear1(x))))


# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop = Drop(dropout)

    def forward(self, x, mask=None):
        residual = x
        x = self.self_attn(x, x, x, mask)
        x = self.norm1(self.drop(x) + residual)
        residual = x
        x = self.feed_forward(x)
        x = self.norm2(self.drop(x) + residual)
        return x
