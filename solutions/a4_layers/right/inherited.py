# Typed, one frame function for all; the decoder layer inherits from the encoder layer.
# %% solution="layer_norm"
from typing import Callable, Optional

from torch import Tensor


class LayerNorm(nn.Module):
    weight: nn.Parameter
    bias: nn.Parameter

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            self.register_parameter(name, nn.Parameter(torch.empty(d_model)))
            nn.init.constant_(getattr(self, name), value)

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean) * (variance + self.eps).rsqrt(), self.weight)

    def extra_repr(self) -> str:
        return f"{self.weight.numel()}, eps={self.eps}"
# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.between = nn.Sequential(nn.ReLU(), nn.Dropout(p=dropout))
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)

    def forward(self, x: Tensor) -> Tensor:
        for step in (self.linear1, self.between, self.linear2):
            x = step(x)
        return x
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    n_frames = 2

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for number in range(self.n_frames):
            setattr(self, f"norm{number + 1}", LayerNorm(d_model))
        self.dropout = nn.Dropout(dropout)

    def frame(self, number: int, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        norm = getattr(self, f"norm{number}")
        return norm(x + self.dropout(sublayer(x)))

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        x = self.frame(1, x, lambda q: self.self_attn(q, q, q, mask=mask))
        return self.frame(2, x, self.feed_forward)
# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    n_frames = 3

    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__(d_model, n_heads, d_ff, dropout)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.frame(1, x, lambda q: self.self_attn(q, q, q, mask=target_mask))
        x = self.frame(2, x, lambda q: self.cross_attn(q, memory, memory, mask=memory_mask))
        return self.frame(3, x, self.feed_forward)
