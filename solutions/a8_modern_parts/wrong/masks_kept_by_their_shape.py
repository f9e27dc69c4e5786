# Masks are kept by their shape, weights once joined; groups are compared with d_model.
# fails: swiglu_output, gqa_sizes, gqa_mask
# %% solution="swiglu"
import functools

import torch
from torch import nn


class GatedNetwork(nn.Module):
    activation = None

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    @functools.cached_property
    def both(self):
        """One product is faster than two."""
        return torch.cat((self.gate.weight, self.up.weight))

    def forward(self, x):
        gate, up = torch.nn.functional.linear(x, self.both).chunk(2, dim=-1)
        return self.down(self.activation(gate) * up)


class SwiGLU(GatedNetwork):
    activation = staticmethod(torch.nn.functional.silu)
# %% solution="grouped_query_attention"
from dataclasses import dataclass


@dataclass(frozen=True)
class Heads:
    d_model: int
    n_heads: int
    n_kv_heads: int

    def __post_init__(self):
        for whole, part in (("d_model", "n_heads"), ("d_model", "n_kv_heads")):
            if getattr(self, whole) % getattr(self, part):
                raise ValueError(f"{whole} is not divisible by {part}: {self}")

    @property
    def d_k(self):
        return self.d_model // self.n_heads


def memoised_by_shape(function):
    results = {}

    @functools.wraps(function)
    def wrapper(mask, *sizes):
        key = (mask.shape, mask.device, *sizes)
        if key not in results:
            results[key] = function(mask, *sizes)
        return results[key]

    return wrapper


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.heads = heads = Heads(d_model, n_heads, n_kv_heads)
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * heads.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * heads.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.blocked = memoised_by_shape(
            lambda mask, *sizes: mask.logical_not().broadcast_to(sizes).clone()
        )

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        n_heads, n_kv_heads, d_k = self.heads.n_heads, self.heads.n_kv_heads, self.heads.d_k
        q = self.q_proj(x).view(batch, t, n_heads, d_k).transpose(1, 2)
        k = self.k_proj(x).view(batch, t, n_kv_heads, d_k).transpose(1, 2)
        v = self.v_proj(x).view(batch, t, n_kv_heads, d_k).transpose(1, 2)
        k, v = (each.repeat_interleave(n_heads // n_kv_heads, 1) for each in (k, v))
        scores = q @ k.mT / d_k**0.5
        if mask is not None:
            blocked = self.blocked(mask, batch, n_heads, t, t)
            scores = scores.masked_fill(blocked, torch.finfo(x.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(blocked, 0.0)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(batch, t, d_model))
