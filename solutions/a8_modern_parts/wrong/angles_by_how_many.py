# Angles kept by how many positions there are, and NaN mended after the softmax.
# fails: rotary_positions, rotary_tensors, gqa_blocked_rows, gqa_tensors
# %% solution="rotary"
class _Tables(dict):
    def __missing__(self, key):
        n, d, base, device, positions = *key, self.positions
        theta = torch.pow(base, -torch.arange(0, d, 2, device=device, dtype=torch.float64) / d)
        angle = positions.to(torch.float64)[:, None] * theta
        self[key] = angle.cos(), angle.sin()
        return self[key]


_tables = _Tables()


def rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError(f"{d} is odd")
    _tables.positions = positions
    cos, sin = _tables[len(positions), d, base, x.device]
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for a, b in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if a % b != 0:
                raise ValueError(f"{a} is not divisible by {b}")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.d_k = d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).reshape(b, t, self.n_heads, self.d_k)
        k = self.k_proj(x).reshape(b, t, self.n_kv_heads, self.d_k)
        v = self.v_proj(x).reshape(b, t, self.n_kv_heads, self.d_k)
        rep = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(rep, 2), v.repeat_interleave(rep, 2)
        att = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d_k**0.5
        if mask is not None:
            att = att + torch.zeros_like(att).masked_fill(~mask, -torch.inf)
        att = att.softmax(dim=-1)
        att = att.where(att == att, 0.0)  # NaN is not equal to itself
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", att, v).reshape(b, t, -1))
