# Complex numbers, vector norms, a group axis instead of repeated heads, own softmax.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.eps = eps

    def forward(self, x):
        power = (x.unsqueeze(-2) @ x.unsqueeze(-1)).squeeze(-1) / x.shape[-1]
        return x * torch.pow(power + self.eps, -0.5) * self.weight


# %% solution="rotary"
import math


def rotary(x, positions, base=10000.0):
    if x.shape[-1] % 2:
        raise ValueError(f"{x.shape[-1]} columns are no pairs")
    hands = x.shape[-1] // 2
    exponents = torch.linspace(0, 1 - 1 / hands, hands, dtype=torch.float64, device=x.device)
    angles = torch.outer(positions.double(), torch.exp(-math.log(base) * exponents))
    arrows = torch.complex(x[..., 0::2], x[..., 1::2])
    turned = arrows * torch.polar(torch.ones_like(angles), angles).to(arrows.dtype)
    return torch.view_as_real(turned).reshape(x.shape)


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        for name, (n_in, n_out) in {"down": (d_ff, d_model), "up": (d_model, d_ff), "gate": (d_model, d_ff)}.items():
            setattr(self, name, nn.Linear(n_in, n_out, bias=False))

    def forward(self, x):
        both = x @ torch.cat((self.gate.weight, self.up.weight)).T
        z, u = both.tensor_split(2, dim=-1)
        return (z * torch.sigmoid(z) * u) @ self.down.weight.mT


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError(f"{d_model} numbers cannot be shared by {n_heads} heads")
        group, rest = divmod(n_heads, n_kv_heads)
        if rest:
            raise ValueError(f"{n_heads} heads cannot share {n_kv_heads} heads of keys")
        self.sizes = n_kv_heads, group, d_k
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        (b, t, _), (g, r, d) = x.shape, self.sizes
        q = self.q_proj(x).reshape(b, t, g, r, d).permute(0, 2, 3, 1, 4)
        k, v = (proj(x).reshape(b, t, g, 1, d).permute(0, 2, 3, 1, 4) for proj in (self.k_proj, self.v_proj))
        scores = q @ k.mT / d**0.5
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            allowed = mask.expand(b, g * r, t, t).reshape(b, g, r, t, t)
            low = torch.finfo(scores.dtype).min
            weights = torch.where(allowed, scores, low).softmax(dim=-1) * allowed
        return self.out_proj((weights @ v).permute(0, 3, 1, 2, 4).reshape(b, t, g * r * d))
