# One base class has the frame around every sublayer; ReLU by clamp; the dropout is shared.
# %%
import torch
from torch import nn


class Frames(nn.Module):
    """What both layers have in common."""

    def __init__(self, d_model, dropout, norms):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        for i in range(1, norms + 1):
            self.add_module(f"norm{i}", LayerNorm(d_model))

    def frame(self, i, x, sublayer, *args):
        said = sublayer(x, *args)
        return getattr(self, f"norm{i}")(torch.add(x, self.dropout(said)))


# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, *, bias=True):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.linear2 = nn.Linear(d_ff, d_model, bias=bias)
        self.linear1 = nn.Linear(d_model, d_ff, bias=bias)

    def forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).clamp(min=0)))


# %% solution="encoder_layer"
class EncoderLayer(Frames):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, dropout, norms=2)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)

    def forward(self, x, mask=None):
        x = self.frame(1, x, lambda x: self.self_attn(x, x, x, mask))
        return self.frame(2, x, self.feed_forward)


# %% solution="decoder_layer"
class DecoderLayer(Frames):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, dropout, norms=3)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None, **extra):
        x = self.frame(1, x, lambda x: self.self_attn(x, x, x, target_mask))
        x = self.frame(2, x, self.cross_attn, memory, memory, memory_mask)
        return self.frame(3, x, self.feed_forward)
