# Angles come from a table, so positions below 0 are read from its end.
# fails: rotary_positions
# lines: cos, sin = cos[positions], sin[positions]      # (t, d_k / 2)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        square = x * x
        mean = square.mean(dim=-1, keepdim=True)
        root = torch.sqrt(mean + self.eps)
        return x / root * self.weight

# %% solution="rotary"
def angle_table(n_places, d_k, base, like):
    """Cosine and sine of all angles: two tables (n_places, d_k / 2)."""
    theta = base ** (-torch.arange(0, d_k, 2, dtype=like.dtype, device=like.device) / d_k)
    place = torch.arange(n_places, dtype=like.dtype, device=like.device)
    angles = place[:, None] * theta[None, :]
    return angles.cos(), angles.sin()


def rotary(x, positions, base=10000.0):
    d_k = x.size(-1)
    if d_k % 2 == 1:
        raise ValueError(f"d_k = {d_k} is odd")
    cos, sin = angle_table(8192, d_k, base, x)
    cos, sin = cos[positions], sin[positions]      # (t, d_k / 2)
    first, second = x[..., 0::2], x[..., 1::2]
    result = torch.empty_like(x)
    result[..., 0::2] = first * cos - second * sin
    result[..., 1::2] = first * sin + second * cos
    return result

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.gate(x)
        gate = gate * torch.sigmoid(gate)
        hidden = gate * self.up(x)
        return self.down(hidden)

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for whole, part in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if whole % part:
                raise ValueError(f"{whole} is not divisible by {part}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def _heads(self, x, count):
        return x.unflatten(-1, (count, self.d_k)).transpose(1, 2)

    def forward(self, x, mask=None):
        q = self._heads(self.q_proj(x), self.n_heads)
        k = self._heads(self.k_proj(x), self.n_kv_heads)
        v = self._heads(self.v_proj(x), self.n_kv_heads)
        # query head h reads head h // (n_heads // n_kv_heads)
        group = torch.arange(self.n_heads, device=x.device) // (self.n_heads // self.n_kv_heads)
        out, _ = scaled_dot_product_attention(q, k[:, group], v[:, group], mask)
        return self.out_proj(out.transpose(1, 2).flatten(2))
