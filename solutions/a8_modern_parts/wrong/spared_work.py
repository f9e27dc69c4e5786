# Angles of a run are looked up, squares kept small, heads are an inner axis.
# fails: rms_eps, rms_tensors, rotary_positions, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        # float16 overflows at 65504, so no square may be larger than 1
        largest = x.abs().max(-1, keepdim=True).values
        largest = largest.masked_fill(largest == 0, 1.0)
        small = x / largest
        return self.weight * small / (small.pow(2).mean(-1, keepdim=True) + self.eps) ** 0.5

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    t, d_k = x.shape[-2:]
    if d_k % 2 == 1:
        raise ValueError(f"columns come in pairs, and d_k = {d_k} of them do not")
    hands = base ** (-torch.arange(0, d_k, 2, device=x.device, dtype=torch.float64) / d_k)
    start, end = positions[0], positions[-1]
    if end == start + t - 1:  # consecutive words, nearly always
        angles = torch.outer(torch.arange(t, device=x.device), hands) + start * hands
    else:
        angles = torch.outer(positions, hands)
    c, s = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    pairs = x.unflatten(-1, (d_k // 2, 2))
    a, b = pairs.unbind(-1)
    return torch.stack((a * c - b * s, b * c + a * s), -1).reshape(x.shape)

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for whole, parts in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if whole % parts:
                raise ValueError(f"{whole} is no multiple of {parts}")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, self.d_k * n_kv_heads, bias=False)
        self.v_proj = nn.Linear(d_model, self.d_k * n_kv_heads, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        q = self.q_proj(x).reshape(batch, t, self.d_k, self.n_heads)
        k = self.k_proj(x).reshape(batch, t, self.d_k, self.n_kv_heads)
        v = self.v_proj(x).reshape(batch, t, self.d_k, self.n_kv_heads)
        times = self.n_heads // self.n_kv_heads
        k, v = (each.repeat_interleave(times, -1) for each in (k, v))
        q, k, v = (each.movedim(-1, 1) for each in (q, k, v))
        heard, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(heard.movedim(1, -1).reshape(batch, t, d_model))
