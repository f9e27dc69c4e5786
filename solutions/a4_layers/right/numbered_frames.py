# A mixin builds norms and dropouts by number; the decoder layer builds on the encoder layer.
# %% solution="layer_norm"
from typing import Callable, Final, Optional


class LayerNorm(nn.Module):
    eps: Final[float]

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = float(eps)
        self.weight = nn.Parameter(torch.empty(d_model))
        self.bias = nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variance, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
        return torch.addcmul(self.bias, (x - mean) * torch.rsqrt(variance + self.eps), self.weight)

    def extra_repr(self) -> str:
        return f"{self.weight.numel()}, eps={self.eps}"


# %% solution="feed_forward"
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.add_module("linear1", nn.Linear(d_model, d_ff))
        self.add_module("linear2", nn.Linear(d_ff, d_model))
        self.add_module("act", nn.ReLU(inplace=False))
        self.add_module("drop", nn.Dropout(p=dropout, inplace=False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # dropping before the ReLU is the same, for both act on each number by itself and keep 0
        return self.linear2(self.act(self.drop(self.linear1(x))))


# %% solution="encoder_layer"
class _PostNorm(nn.Module):
    """Mixin: the frame around a sublayer."""

    def _build(self, n_norms: int, d_model: int, dropout: float) -> None:
        for i in range(n_norms):
            self.add_module(f"norm{i + 1}", nn.LayerNorm(d_model))
            self.add_module(f"drop{i + 1}", nn.Dropout(dropout))

    def _frame(self, number: int, stream: torch.Tensor, sublayer: Callable, *args) -> torch.Tensor:
        said = getattr(self, f"drop{number}")(sublayer(stream, *args))
        return getattr(self, f"norm{number}")(stream.add(said))


class EncoderLayer(_PostNorm):
    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self._build(2, d_model, dropout)

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        x = self._frame(1, x, lambda s: self.self_attn(s, s, s, mask=mask))
        return self._frame(2, x, self.feed_forward)


# %% solution="decoder_layer"
class DecoderLayer(EncoderLayer):
    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        nn.Module.__init__(self)
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self._build(3, d_model, dropout)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self._frame(1, x, lambda s: self.self_attn(s, s, s, mask=target_mask))
        x = self._frame(2, x, lambda s: self.cross_attn(s, memory, memory, mask=memory_mask))
        return self._frame(3, x, self.feed_forward)
