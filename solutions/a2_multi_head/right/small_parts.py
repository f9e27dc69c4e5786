# Splitting, projecting and attending are small classes of their own.
# %% solution="multi_head"
import dataclasses
from typing import NamedTuple

from einops import rearrange


@dataclasses.dataclass(frozen=True)
class HeadGeometry:
    d_model: int
    n_heads: int

    def __post_init__(self):
        if self.d_model % self.n_heads:
            raise ValueError(
                f"cannot distribute d_model={self.d_model} over n_heads={self.n_heads} heads"
            )

    @property
    def d_k(self):
        return self.d_model // self.n_heads


class Projected(NamedTuple):
    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor


class HeadMixin:
    geometry: HeadGeometry

    def split_heads(self, x):
        return rearrange(x, "b t (h d) -> b h t d", h=self.geometry.n_heads, d=self.geometry.d_k)

    def merge_heads(self, x):
        return rearrange(x, "b h t d -> b t (h d)", h=self.geometry.n_heads)


class MultiHeadAttention(HeadMixin, nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.geometry = HeadGeometry(d_model, n_heads)
        self.weights = None
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def _project(self, *inputs):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        return Projected(*(self.split_heads(f(x)) for f, x in zip(layers, inputs, strict=True)))

    def _remember(self, weights):
        with torch.no_grad():
            self.weights = weights.detach().clone()

    def forward(self, query, key, value, mask=None):
        answers, weights = scaled_dot_product_attention(
            **self._project(query, key, value)._asdict(), mask=mask
        )
        self._remember(weights)
        return self.out_proj(self.merge_heads(answers))
