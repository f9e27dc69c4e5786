# Loops over heads, positions and pairs.
# %%
import math


# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        total = 0
        for column in x.unbind(-1):
            total = total + column * column
        root = (total / self.d_model + self.eps) ** 0.5
        columns = [c / root * w for c, w in zip(x.unbind(-1), self.weight, strict=True)]
        return torch.stack(columns, -1)


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 == 1:
        raise ValueError("d_k must be even, got " + str(d_k))
    rows = []
    for place, position in enumerate(positions.tolist()):
        columns = []
        for i in range(d_k // 2):
            angle = position / base ** (2 * i / d_k)
            a, b = x[:, :, place, 2 * i], x[:, :, place, 2 * i + 1]
            columns.append(a * math.cos(angle) - b * math.sin(angle))
            columns.append(a * math.sin(angle) + b * math.cos(angle))
        rows.append(torch.stack(columns, dim=-1))
    return torch.stack(rows, dim=2)


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"d_model {d_model}, n_heads {n_heads}: {rest} left")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads {n_heads}, n_kv_heads {n_kv_heads}: some left")
        self.n_heads, self.shared, self.d_k = n_heads, n_heads // n_kv_heads, d_k
        self.q_proj = nn.Linear(d_model, n_heads * d_k, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * d_k, bias=False)
        self.out_proj = nn.Linear(n_heads * d_k, d_model, bias=False)

    def forward(self, x, mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if mask is not None:
            mask = mask.broadcast_to(x.shape[0], self.n_heads, x.shape[1], x.shape[1])
        answers = []
        for h in range(self.n_heads):
            mine = slice(h * self.d_k, (h + 1) * self.d_k)
            g = h // self.shared
            theirs = slice(g * self.d_k, (g + 1) * self.d_k)
            its_mask = None if mask is None else mask[:, h]
            parts = q[..., mine], k[..., theirs], v[..., theirs], its_mask
            answers.append(scaled_dot_product_attention(*parts)[0])
        return self.out_proj(torch.cat(answers, dim=-1))
