# Einops says which axes are which.
# %%
from einops import rearrange, reduce, repeat


# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        mean_square = reduce(x**2, "... d -> ... 1", "mean")
        return x / (mean_square + self.eps) ** 0.5 * self.weight


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    if x.shape[-1] % 2:
        raise ValueError(f"not even: {x.shape[-1]}")
    first, second = rearrange(x, "b h t (i two) -> two b h t i", two=2)
    i = torch.arange(x.shape[-1] // 2, dtype=torch.float64, device=x.device)
    angle = positions[:, None] / base ** (2 * i / x.shape[-1])
    cos, sin = angle.cos().type_as(x), angle.sin().type_as(x)
    turned = torch.stack([first * cos - second * sin, second * cos + first * sin])
    return rearrange(turned, "two b h t i -> b h t (i two)")


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} / {n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} / {n_kv_heads}")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        small = d_model * n_kv_heads // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, small, bias=False)
        self.v_proj = nn.Linear(d_model, small, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        shared = self.n_heads // self.n_kv_heads
        q = rearrange(self.q_proj(x), "b t (h d) -> b h t d", h=self.n_heads)
        pattern = "b t (g d) -> b (g shared) t d"
        k = repeat(self.k_proj(x), pattern, g=self.n_kv_heads, shared=shared)
        v = repeat(self.v_proj(x), pattern, g=self.n_kv_heads, shared=shared)
        answers, _ = scaled_dot_product_attention(q, k, v, mask=mask)
        return self.out_proj(rearrange(answers, "b h t d -> b t (h d)"))
