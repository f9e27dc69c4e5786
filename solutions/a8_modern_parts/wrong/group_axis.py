# A root in float32, and one mask for each group.
# fails: gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: self.scale = torch.tensor(float(self.d_k)).rsqrt()
# lines: mask = mask[:, :: self.per_group]  # a group has one mask
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    """Nothing is repeated: the queries get an axis for the groups."""

    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for whole, part in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if whole % part:
                raise ValueError(f"{whole} cannot be divided by {part}")
        self.d_k, self.groups, self.per_group = d_model // n_heads, n_kv_heads, n_heads // n_kv_heads
        self.scale = torch.tensor(float(self.d_k)).rsqrt()
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).reshape(b, t, self.groups, self.per_group, self.d_k)
        k = self.k_proj(x).reshape(b, t, self.groups, self.d_k)
        v = self.v_proj(x).reshape(b, t, self.groups, self.d_k)

        scores = torch.einsum("bqghd,bkgd->bghqk", q, k) * self.scale
        if mask is None:
            mask = torch.ones(t, t, dtype=torch.bool, device=x.device)
        mask = mask[(None,) * (4 - mask.dim())]
        if mask.size(1) > 1:
            mask = mask[:, :: self.per_group]  # a group has one mask
        mask = mask.unsqueeze(2)
        silent = ~mask.any(-1, keepdim=True)
        weights = scores.masked_fill(~(mask | silent), float("-inf")).softmax(-1)
        weights = weights.masked_fill(silent, 0.0)

        out = torch.einsum("bghqk,bkgd->bqghd", weights, v)
        return self.out_proj(out.reshape(b, t, -1))
