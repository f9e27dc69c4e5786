# The queries get an axis for the groups, and broadcasting does the rest; the result is filled in.
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k & 1:
        raise ValueError(f"d_k={d_k}")
    speeds = torch.tensor([base ** (-i / d_k) for i in range(0, d_k, 2)], device=x.device)
    angles = positions.unsqueeze(1) * speeds
    c, s = torch.cos(angles).to(x), torch.sin(angles).to(x)
    y = torch.empty_like(x)
    y[..., ::2] = x[..., ::2] * c - x[..., 1::2] * s
    y[..., 1::2] = x[..., ::2] * s + x[..., 1::2] * c
    return y


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.down = nn.Linear(d_ff, d_model, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.activation = nn.SiLU()

    def forward(self, x):
        return self.down(self.up(x) * self.activation(self.gate(x)))


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model=} {n_heads=}")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads=} {n_kv_heads=}")
        self.n_kv_heads, self.d_k = n_kv_heads, d_model // n_heads
        self.shared = n_heads // n_kv_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).reshape(b, t, self.n_kv_heads, self.shared, self.d_k).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).reshape(b, t, self.n_kv_heads, 1, self.d_k).permute(0, 2, 3, 1, 4)
        v = self.v_proj(x).reshape(b, t, self.n_kv_heads, 1, self.d_k).permute(0, 2, 3, 1, 4)
        scores = (q @ k.mT) * self.d_k**-0.5  # (b, n_kv_heads, shared, t, t)
        if mask is not None:
            mask = mask.expand(b, self.n_kv_heads * self.shared, t, t)
            mask = mask.reshape(b, self.n_kv_heads, self.shared, t, t)
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, -1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        answers = (weights @ v).permute(0, 3, 1, 2, 4)
        return self.out_proj(answers.reshape(b, t, -1))
