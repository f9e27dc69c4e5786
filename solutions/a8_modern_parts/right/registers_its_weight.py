# Parameters that are registered by name.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.full((d_model,), 1.0)))
        self.eps = eps

    def forward(self, x):
        d = x.shape[-1]
        total = torch.matmul(x.unsqueeze(-2), x.unsqueeze(-1)).squeeze(-1)
        return x.mul(self.weight).div(total.div(d).add(self.eps).pow(0.5))

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    *_, d_k = x.shape
    if d_k & 1:
        raise ValueError(f"d_k = {d_k} is odd")
    i = torch.arange(d_k, device=x.device)
    angles = positions.double().unsqueeze(-1) * float(base) ** ((i // 2) * (-2.0 / d_k)).double()
    sign = 1.0 - 2.0 * (i % 2 == 0)
    partner = x.index_select(-1, i ^ 1)
    return x * angles.cos().to(x) + partner * (angles.sin() * sign).to(x)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        shapes = {"down": (d_ff, d_model), "up": (d_model, d_ff), "gate": (d_model, d_ff)}
        for name in sorted(shapes):
            self.add_module(name, nn.Linear(*shapes[name], bias=False))

    def forward(self, x):
        both = x @ torch.cat([self.gate.weight, self.up.weight]).T
        opened, content = both.chunk(2, dim=-1)
        return (opened * torch.sigmoid(opened) * content) @ self.down.weight.T

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        pairs = {"d_model": d_model, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
        names = list(pairs)
        for one, other in zip(names, names[1:]):
            if pairs[one] % pairs[other] != 0:
                raise ValueError(f"{one} ({pairs[one]}) is no multiple of {other} ({pairs[other]})")
        d_k = d_model // n_heads
        self.sizes = n_heads, n_kv_heads, d_k
        for name, heads in (("q", n_heads), ("k", n_kv_heads), ("v", n_kv_heads), ("out", n_heads)):
            self.add_module(f"{name}_proj", nn.Linear(d_model, heads * d_k, bias=False))

    def forward(self, x, mask=None):
        n_heads, n_kv_heads, d_k = self.sizes
        group = n_heads // n_kv_heads
        queries, keys, values = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        said = []
        for h in range(n_heads):
            own, read = slice(h * d_k, h * d_k + d_k), slice(h // group * d_k, (h // group + 1) * d_k)
            hidden = None
            if mask is not None:
                whole = mask.broadcast_to(len(x), n_heads, x.shape[1], x.shape[1])
                hidden = whole[:, h]
            each, _ = scaled_dot_product_attention(
                queries[..., own], keys[..., read], values[..., read], hidden
            )
            said.append(each)
        return self.out_proj(torch.cat(said, dim=-1))
