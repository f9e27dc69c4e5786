# Heads are repeated by expand and reshape, and the norm multiplies by one over the root.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self.weight * self._norm(x)


# %% solution="rotary"
def turn_left(x):
    first, second = x[..., ::2], x[..., 1::2]
    return torch.stack((-second, first), dim=-1).reshape(x.shape)


def rotary(x, positions, base=10000.0):
    if x.size(-1) % 2 != 0:
        raise ValueError(f"d_k = {x.size(-1)} should be even")
    exponent = torch.arange(0, x.size(-1), 2, device=x.device) / x.size(-1)
    angles = (positions.unsqueeze(-1) / base**exponent).repeat_interleave(2, dim=-1)
    return x * angles.cos().to(x.dtype) + turn_left(x) * angles.sin().to(x.dtype)


# %% solution="grouped_query_attention"
def repeat_kv(x, n):
    batch, n_kv_heads, t, d_k = x.shape
    return x[:, :, None].expand(batch, n_kv_heads, n, t, d_k).reshape(batch, n_kv_heads * n, t, d_k)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by n_heads ({n_heads})")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads ({n_heads}) must be divisible by n_kv_heads ({n_kv_heads})")
        self.d_k = d_model // n_heads
        self.n_rep = n_heads // n_kv_heads
        self.q_proj = nn.Linear(d_model, n_heads * self.d_k, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(n_heads * self.d_k, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, _ = x.shape
        q = self.q_proj(x).view(batch, t, -1, self.d_k).transpose(1, 2)
        k = self.k_proj(x).view(batch, t, -1, self.d_k).transpose(1, 2)
        v = self.v_proj(x).view(batch, t, -1, self.d_k).transpose(1, 2)
        output, _ = scaled_dot_product_attention(q, repeat_kv(k, self.n_rep), repeat_kv(v, self.n_rep), mask)
        return self.out_proj(output.transpose(1, 2).contiguous().view(batch, t, -1))
