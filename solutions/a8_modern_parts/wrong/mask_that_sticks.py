# Without a mask the last one is used again, and out_proj has a bias.
# fails: gqa_groups, gqa_mask
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    """Grouped-query attention."""

    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not a multiple of n_heads {n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads {n_heads} is not a multiple of n_kv_heads {n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model)
        self._mask = None

    def forward(self, x, mask=None):
        if mask is not None:
            self._mask = mask
        group = self.n_heads // self.n_kv_heads
        q = self.q_proj(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        k = self.k_proj(x).unflatten(-1, (self.n_kv_heads, -1)).transpose(1, 2)
        v = self.v_proj(x).unflatten(-1, (self.n_kv_heads, -1)).transpose(1, 2)
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        answers, _ = scaled_dot_product_attention(q, k, v, self._mask)
        return self.out_proj(answers.transpose(1, 2).flatten(2))
