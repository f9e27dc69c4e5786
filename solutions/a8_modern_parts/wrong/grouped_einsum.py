# Einsum style with an axis of groups for the queries in place of repeated keys.
# fails: swiglu_output, gqa_sizes, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        g = torch.einsum("...d,fd->...f", x, self.gate.weight)
        u = torch.einsum("...d,fd->...f", x, self.up.weight)
        z = g * u
        return torch.einsum("...f,df->...d", z * z.sigmoid(), self.down.weight)


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        groups, rest = n_kv_heads, n_heads % n_kv_heads
        if rest:
            raise ValueError(f"{n_heads} heads do not fall into {n_kv_heads} groups")
        self.g, self.m = groups, n_heads // groups
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, groups * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, groups * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        q = self.q_proj(x).unflatten(-1, (self.g, self.m, self.d_k))  # b t g m k
        k = self.k_proj(x).unflatten(-1, (self.g, self.d_k))  # b s g k
        v = self.v_proj(x).unflatten(-1, (self.g, self.d_k))
        scores = torch.einsum("btgmk,bsgk->bmgts", q, k) * self.d_k**-0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask.expand(x.shape[0], self.g * self.m, x.shape[1], x.shape[1])
            mask = mask.unflatten(1, (self.m, self.g))  # b m g t s
            none = ~mask.any(-1, keepdim=True)
            scores = scores.masked_fill(~(mask | none), float("-inf"))
            weights = scores.softmax(-1).masked_fill(none, 0.0)
        heads = torch.einsum("bmgts,bsgk->btmgk", weights, v)
        return self.out_proj(heads.flatten(2))
