# Tables as wide as the vectors, a sign for each column, and heads that are looked up by an index.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        square = torch.einsum("...d,...d->...", x, x).unsqueeze(-1) / x.shape[-1]
        return self.weight * x * (square + self.eps).rsqrt()


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.size(-1)
    if d_k % 2:
        raise ValueError(f"rotary needs pairs of columns, d_k is {d_k}")
    column = torch.arange(d_k, device=x.device)
    speed = torch.pow(base, -(column - column % 2).double() / d_k)
    angle = torch.outer(positions.double(), speed)
    sign = (column % 2 * 2 - 1).to(x.dtype)
    neighbour = x[..., column + 1 - 2 * (column % 2)]
    return x * angle.cos().to(x.dtype) + neighbour * sign * angle.sin().to(x.dtype)


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        z = self.gate(x)
        return self.down(z * torch.sigmoid(z) * self.up(x))


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(f"{d_model}, {n_heads} and {n_kv_heads} do not divide each other")
        self.d_k, self.n_heads, self.n_kv_heads = d_model // n_heads, n_heads, n_kv_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        reads = torch.arange(self.n_heads, device=x.device) // (self.n_heads // self.n_kv_heads)
        q, k, v = (
            torch.stack(each(x).split(self.d_k, dim=-1), dim=1)
            for each in (self.q_proj, self.k_proj, self.v_proj)
        )
        answers = scaled_dot_product_attention(q, k[:, reads], v[:, reads], mask)[0]
        return self.out_proj(torch.cat(answers.unbind(1), dim=-1))
