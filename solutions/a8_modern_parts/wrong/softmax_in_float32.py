# The softmax is done in float32, as in the code of a well-known model.
# fails: gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# %%
import math

import torch.nn.functional as F


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"sizes do not fit: {d_model}, {n_heads}, {n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, n_heads * self.d_k, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(n_heads * self.d_k, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, _ = x.shape
        q = self.q_proj(x).view(batch, t, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        v = self.v_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        k = torch.repeat_interleave(k, self.n_heads // self.n_kv_heads, dim=1)
        v = torch.repeat_interleave(v, self.n_heads // self.n_kv_heads, dim=1)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(batch, t, -1))
