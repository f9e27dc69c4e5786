# The scale is taken of the keys of all heads, and the mask's heads are cut in another order.
# fails: gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: queries = self.q_proj(x) / keys.size(-1) ** 0.5
# lines: seen = mask.expand(n, self.n_heads, t, t).unflatten(1, (self.members, self.n_kv_heads))
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} is no multiple of n_heads={n_heads}")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads={n_heads} is no multiple of n_kv_heads={n_kv_heads}")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.members = n_heads // n_kv_heads
        shared = d_model // self.members
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, shared, bias=False)
        self.v_proj = nn.Linear(d_model, shared, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        n, t, _ = x.shape
        keys, values = self.k_proj(x), self.v_proj(x)
        queries = self.q_proj(x) / keys.size(-1) ** 0.5
        queries = queries.view(n, t, self.n_kv_heads, self.members, -1).permute(0, 2, 3, 1, 4)
        keys = keys.view(n, t, self.n_kv_heads, 1, -1).permute(0, 2, 3, 4, 1)
        values = values.view(n, t, self.n_kv_heads, 1, -1).permute(0, 2, 3, 1, 4)
        scores = queries @ keys  # (n, n_kv_heads, members, t, t)
        if mask is not None:
            seen = mask.expand(n, self.n_heads, t, t).unflatten(1, (self.members, self.n_kv_heads))
            seen = seen.transpose(1, 2)
            scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * seen
        answers = weights @ values
        return self.out_proj(answers.permute(0, 3, 1, 2, 4).reshape(n, t, -1))
