# Little matrices turn the pairs, and the softmax is its own.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        size = x.shape[-1] ** 0.5
        return x * (torch.sum(x * x, -1, True) + size * size * self.eps).rsqrt() * size * self.weight


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    """Every pair times its own 2 x 2 matrix."""
    d_k = x.size(-1)
    pairs, left = divmod(d_k, 2)
    if left:
        raise ValueError(f"d_k is {d_k}: the last column has no partner")
    speeds = torch.tensor([base ** (-2 * i / d_k) for i in range(pairs)], dtype=torch.float64)
    a = positions.unsqueeze(-1) * speeds.to(positions.device)
    turn = torch.stack([a.cos(), -a.sin(), a.sin(), a.cos()], -1).unflatten(-1, (2, 2)).to(x.dtype)
    return torch.einsum("tpij,bhtpj->bhtpi", turn, x.unflatten(-1, (pairs, 2))).flatten(-2)


# %% solution="grouped_query_attention"
def _weights(scores, mask):
    """Softmax over the last axis of what may be seen; all zeros where nothing may."""
    if mask is None:
        return scores.softmax(-1)
    silent = ~mask.any(-1, keepdim=True)
    # such a row is opened for the softmax, so that no NaN arises that a gradient could find
    return scores.masked_fill(~(mask | silent), -torch.inf).softmax(-1) * ~silent


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads or n_heads % n_kv_heads:
            raise ValueError(
                "these sizes leave a remainder: "
                f"d_model={d_model}, n_heads={n_heads}, n_kv_heads={n_kv_heads}"
            )
        self.groups, self.members, self.d_k = n_kv_heads, n_heads // n_kv_heads, d_model // n_heads
        self.q_proj, self.out_proj = (nn.Linear(d_model, d_model, bias=False) for _ in "qo")
        self.k_proj, self.v_proj = (
            nn.Linear(d_model, self.groups * self.d_k, bias=False) for _ in "kv"
        )

    def forward(self, x, mask=None):
        """Axes: b sentence, q and k positions, g group, m member of a group, d number."""
        heads = self.groups * self.members
        q = self.q_proj(x).unflatten(-1, (self.groups, self.members, self.d_k)) / self.d_k**0.5
        k, v = (p(x).unflatten(-1, (self.groups, self.d_k)) for p in (self.k_proj, self.v_proj))
        if mask is not None:
            t = x.shape[1]
            mask = mask.broadcast_to(x.shape[0], heads, t, t).unflatten(1, (self.groups, -1))
        weights = _weights(torch.einsum("bqgmd,bkgd->bgmqk", q, k), mask)
        return self.out_proj(torch.einsum("bgmqk,bkgd->bqgmd", weights, v).flatten(2))
