# A scale before eps, norms that are registered twice, and one mask alone is ignored.
# fails: norm_eps, norm_gradients, encoder_output, decoder_masks, decoder_gradients
# lines: variance = centred.pow(2).mean(dim=-1, keepdim=True) + self.eps
# lines: self.frame1 = ResidualFrame(self.norm1, dropout)
# lines: if target_mask is None or memory_mask is None:
# lines: scaled = x / self._range(x)
# %% solution="layer_norm"
from typing import Final

from torch import Tensor


class LayerNorm(nn.Module):
    eps: Final[float]

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("bias", nn.Parameter(torch.zeros(d_model)))

    @staticmethod
    def _range(x: Tensor) -> Tensor:
        """The largest number of each position, so that its square cannot overflow."""
        return x.detach().abs().amax(dim=-1, keepdim=True).clamp(min=1.0)

    def forward(self, x: Tensor) -> Tensor:
        scaled = x / self._range(x)
        centred = scaled - scaled.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True) + self.eps
        return centred / variance.sqrt() * self.weight + self.bias


# %% solution="encoder_layer"
class ResidualFrame(nn.Module):
    """norm(x + dropout(sublayer(x)))"""

    def __init__(self, norm: nn.Module, dropout: float) -> None:
        super().__init__()
        self.norm = norm
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer, *args):
        return self.norm(x + self.dropout(sublayer(x, *args)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.frame1 = ResidualFrame(self.norm1, dropout)
        self.frame2 = ResidualFrame(self.norm2, dropout)

    def _attend(self, x, mask):
        return self.self_attn(x, x, x, mask)

    def forward(self, x, mask=None):
        return self.frame2(self.frame1(x, self._attend, mask), self.feed_forward)


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
        self.dropout = nn.Dropout(dropout)

    def _frames(self, x, memory, *masks):
        own, other = masks or (None, None)
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, own)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, other)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        if target_mask is None or memory_mask is None:
            return self._frames(x, memory)
        return self._frames(x, memory, target_mask, memory_mask)
