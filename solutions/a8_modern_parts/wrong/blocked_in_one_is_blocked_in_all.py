# A detached root, a table with negative rows, a residual, two scales, zeros from all heads.
# fails: rms_eps, rms_tensors, rotary_positions, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: square = torch.square(x.detach())
# lines: longest = max(int(positions.max()) + 1, -int(positions.min()), 1)
# lines: rows = torch.arange(longest, device=x.device)
# lines: angles = angle_table(rows, d_k, base, x)[positions]
# lines: return x + self.down(passed)
# lines: queries = queries / self.d_k**0.5
# lines: if mask is not None:
# lines: has_key = mask.broadcast_to(batch, self.n_heads, t, t).any(dim=-1).all(dim=1)
# lines: answers = answers * has_key[:, None, :, None]
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        # 1. square, 2. mean, 3. root
        square = torch.square(x.detach())
        mean_square = torch.mean(square, dim=-1, keepdim=True)
        root_mean_square = torch.sqrt(mean_square + self.eps)
        normed = x / root_mean_square
        return normed * self.weight

# %% solution="rotary"
def angle_table(rows, d_k, base, like):
    pair_index = torch.arange(d_k // 2, dtype=like.dtype, device=like.device)
    theta = base ** (-2.0 * pair_index / d_k)
    return rows.to(like.dtype).unsqueeze(1) * theta.unsqueeze(0)


def rotary(x, positions, base=10000.0):
    batch, n_heads, t, d_k = x.shape
    if d_k % 2 != 0:
        raise ValueError(f"d_k has to be even, not {d_k}")
    longest = max(int(positions.max()) + 1, -int(positions.min()), 1)
    rows = torch.arange(longest, device=x.device)
    angles = angle_table(rows, d_k, base, x)[positions]
    cosines, sines = torch.cos(angles), torch.sin(angles)
    pairs = x.reshape(batch, n_heads, t, d_k // 2, 2)
    first, second = pairs[..., 0], pairs[..., 1]
    turned_first = first * cosines - second * sines
    turned_second = first * sines + second * cosines
    return torch.stack([turned_first, turned_second], dim=-1).reshape(batch, n_heads, t, d_k)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.gate(x)
        swish = gate * torch.sigmoid(gate)
        passed = swish * self.up(x)
        return x + self.down(passed)

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by n_heads ({n_heads})")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads ({n_heads}) must be divisible by n_kv_heads ({n_kv_heads})")
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        queries = self.q_proj(x).view(batch, t, self.n_heads, self.d_k).transpose(1, 2)
        queries = queries / self.d_k**0.5
        keys = self.k_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        values = self.v_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        # query head h reads key and value head h // group
        group = self.n_heads // self.n_kv_heads
        reads = torch.arange(self.n_heads, device=x.device) // group
        answers, _ = scaled_dot_product_attention(queries, keys[:, reads], values[:, reads], mask)
        if mask is not None:
            has_key = mask.broadcast_to(batch, self.n_heads, t, t).any(dim=-1).all(dim=1)
            answers = answers * has_key[:, None, :, None]
        side_by_side = answers.transpose(1, 2).reshape(batch, t, d_model)
        return self.out_proj(side_by_side)
