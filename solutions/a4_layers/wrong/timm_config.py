# Over-engineered, in the way of a vision library: a config, factories, drop path.
# fails: feed_forward_dropout, encoder_dropout, decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="feed_forward"
from dataclasses import dataclass


@dataclass(frozen=True)
class MlpConfig:
    in_features: int
    hidden_features: int
    drop: float = 0.1

    @property
    def drops(self):
        return (self.drop, self.drop)


class FeedForward(nn.Module):
    """MLP as used in Vision Transformer, MLP-Mixer and related networks."""

    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.cfg = MlpConfig(d_model, d_ff, dropout)
        first, second = self.cfg.drops
        self.linear1 = nn.Linear(self.cfg.in_features, self.cfg.hidden_features)
        self.act = nn.ReLU()
        self.drop1 = nn.Dropout(first)
        self.linear2 = nn.Linear(self.cfg.hidden_features, self.cfg.in_features)
        self.drop2 = nn.Dropout(second)

    def forward(self, x):
        x = self.linear1(x)
        x = self.act(x)
        x = self.drop1(x)
        x = self.linear2(x)
        x = self.drop2(x)
        return x
# %% solution="encoder_layer"
class DropPath(nn.Module):
    """Drop paths (stochastic depth) per sample, when applied in the main path of residual blocks."""

    def __init__(self, drop_prob=0.0, scale_by_keep=True):
        super().__init__()
        self.drop_prob = drop_prob
        self.scale_by_keep = scale_by_keep

    def forward(self, x):
        if self.drop_prob == 0.0 or not self.training:
            return x
        keep_prob = 1 - self.drop_prob
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        keep = torch.full(shape, keep_prob, dtype=x.dtype, device=x.device).bernoulli()
        if keep_prob > 0.0 and self.scale_by_keep:
            keep = keep / keep_prob
        return x * keep


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        norm_layer = nn.LayerNorm
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.norm1 = norm_layer(d_model)
        self.drop_path1 = DropPath(dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm2 = norm_layer(d_model)
        self.drop_path2 = DropPath(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.drop_path1(self.self_attn(x, x, x, mask)))
        x = self.norm2(x + self.drop_path2(self.feed_forward(x)))
        return x
# %% solution="decoder_layer"
from functools import partial


class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        make_norm = partial(nn.LayerNorm, eps=1e-6)
        make_attn = partial(MultiHeadAttention, n_heads=n_heads)
        for name in ("self_attn", "cross_attn"):
            setattr(self, name, make_attn(d_model))
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for i in (1, 2, 3):
            setattr(self, f"norm{i}", make_norm(d_model))
            setattr(self, f"drop{i}", nn.Dropout(dropout))

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.norm1(x + self.drop1(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.drop2(self.cross_attn(x, memory, memory, memory_mask)))
        x = self.norm3(x + self.drop3(self.feed_forward(x)))
        return x
