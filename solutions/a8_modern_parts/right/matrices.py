# A norm from torch.linalg, a matrix for each position, heads picked by their numbers.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return self.weight * (x / (length**2 / self.weight.numel() + self.eps).sqrt())


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    t, d_k = x.shape[-2:]
    if d_k % 2 != 0:
        raise ValueError(f"{d_k} is odd")
    columns = torch.arange(d_k, device=x.device)
    speeds = torch.pow(base, -(columns - columns % 2) / d_k)
    angles = positions[:, None] * speeds
    matrix = x.new_zeros(t, d_k, d_k)
    matrix[:, columns, columns] = angles.cos().to(x.dtype)
    even, odd = columns[0::2], columns[1::2]
    matrix[:, even, odd] = -angles[:, 0::2].sin().to(x.dtype)
    matrix[:, odd, even] = angles[:, 0::2].sin().to(x.dtype)
    return (matrix @ x.unsqueeze(-1)).squeeze(-1)


# %% solution="swiglu"
def swish(z):
    return z / (1 + torch.exp(-z))


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        both = x @ torch.cat([self.gate.weight, self.up.weight]).T
        gate, up = both.chunk(2, dim=-1)
        return (swish(gate) * up) @ self.down.weight.T


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"cannot share {d_model} among {n_heads}, or these among {n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.register_buffer("group", torch.arange(n_heads) * n_kv_heads // n_heads, persistent=False)

    def split(self, x, n_heads):
        return torch.stack(x.split(self.d_k, dim=-1), dim=1)

    def forward(self, x, mask=None):
        q = self.split(self.q_proj(x), self.n_heads)
        k = self.split(self.k_proj(x), self.n_kv_heads)[:, self.group]
        v = self.split(self.v_proj(x), self.n_kv_heads).index_select(1, self.group)
        scores = torch.matmul(q, k.transpose(-1, -2)) / torch.tensor(self.d_k).to(q).sqrt()
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
            silent = ~mask.broadcast_to(scores.shape).any(-1, keepdim=True)
            scores = scores.masked_fill(silent, 0.0)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(silent, 0.0)
        return self.out_proj(torch.cat((weights @ v).unbind(1), dim=-1))
