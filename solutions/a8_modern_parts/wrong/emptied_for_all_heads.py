# Angles from a table's end; rows are emptied where all heads are blocked.
# fails: rotary_positions, gqa_blocked_rows, gqa_tensors
# %% solution="rotary"
import functools

import torch
from torch import nn


@functools.lru_cache(maxsize=8)
def _rotation_table(length, d_k, base):
    """Precompute cosines and sines for the positions 0 to length - 1 in double precision."""
    inverse_frequencies = base ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * inverse_frequencies
    return angles.cos(), angles.sin()


def rotary(x, positions, base=10000.0):
    """Apply rotary position embeddings with an interleaved layout.

    The trigonometric tables only depend on the number of positions, on ``d_k`` and on ``base``,
    and are therefore cached between calls. Arbitrary positions are supported by gathering the
    corresponding rows.
    """
    d_k = x.size(-1)
    if d_k % 2 != 0:
        raise ValueError(f"rotary embeddings require an even head dimension, got d_k={d_k}")
    length = int(positions.abs().max()) + 1
    cos, sin = (
        table.to(device=x.device, dtype=x.dtype)[positions]
        for table in _rotation_table(length, d_k, float(base))
    )
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    """Grouped-query attention.

    Fully masked queries
    --------------------
    A large negative constant is used in place of ``-inf``, so that the softmax never yields NaN.
    Queries without any visible key would then attend uniformly, hence their output is reset to
    zero afterwards.
    """

    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model} must be divisible by n_heads={n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads={n_heads} must be divisible by n_kv_heads={n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def _split(self, projected, n_heads):
        batch, t, _ = projected.shape
        return projected.reshape(batch, t, n_heads, self.d_k).transpose(1, 2)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        group_size = self.n_heads // self.n_kv_heads
        q = self._split(self.q_proj(x), self.n_heads)
        k = self._split(self.k_proj(x), self.n_kv_heads).repeat_interleave(group_size, dim=1)
        v = self._split(self.v_proj(x), self.n_kv_heads).repeat_interleave(group_size, dim=1)
        scores = q @ k.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            mask = mask.expand(batch, self.n_heads, t, t)
            scores = scores.masked_fill(~mask, -1e9)
        context = scores.softmax(dim=-1) @ v
        context = context.transpose(1, 2).reshape(batch, t, d_model)
        if mask is not None:
            visible = mask.any(dim=-1).any(dim=1)
            context = context.masked_fill(~visible.unsqueeze(-1), 0.0)
        return self.out_proj(context)
