# A mean over the sentence, a table's end for places below 0, a residual, and a bias.
# fails: rms_output, rms_eps, rms_tensors, rotary_positions, swiglu_output, gqa_groups, gqa_blocked_rows, gqa_tensors
# lines: axes = tuple(range(1, x.ndim)) or (0,)
# lines: mean_square = torch.mean(torch.square(x), axes, keepdim=True)
# lines: n_rows = int(positions.abs().max()) + 1
# lines: table = torch.arange(n_rows, device=x.device)[:, None] * angle_rates[None, :]
# lines: angles = table[positions]
# lines: return x + self.down(torch.multiply(activated, self.up(x)))
# lines: logits = logits + torch.zeros_like(logits).masked_fill(~mask, float("-inf"))
# lines: attention_weights = torch.nan_to_num(attention_weights)
# lines: self.out_proj = nn.Linear(d_model, d_model)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.epsilon = eps
        self.weight = nn.Parameter(torch.ones((d_model,)))

    def forward(self, x):
        axes = tuple(range(1, x.ndim)) or (0,)
        mean_square = torch.mean(torch.square(x), axes, keepdim=True)
        return torch.divide(x, torch.sqrt(mean_square + self.epsilon)) * self.weight

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    depth = x.size(-1)
    if depth % 2 != 0:
        raise ValueError(f"The depth must be even, got {depth}")
    i = torch.arange(0, depth, 2, dtype=torch.float64, device=x.device)
    angle_rates = 1.0 / torch.pow(torch.tensor(base, dtype=torch.float64, device=x.device), i / depth)
    n_rows = int(positions.abs().max()) + 1
    table = torch.arange(n_rows, device=x.device)[:, None] * angle_rates[None, :]
    angles = table[positions]
    z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], depth // 2, 2).contiguous())
    z = z * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(z).reshape(x.shape).to(x.dtype)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(in_features=d_model, out_features=d_ff, bias=False)
        self.up = nn.Linear(in_features=d_model, out_features=d_ff, bias=False)
        self.down = nn.Linear(in_features=d_ff, out_features=d_model, bias=False)

    def forward(self, x):
        gated = self.gate(x)
        activated = gated * torch.sigmoid(gated)
        return x + self.down(torch.multiply(activated, self.up(x)))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model=%d must be a multiple of n_heads=%d" % (d_model, n_heads))
        if n_heads % n_kv_heads != 0:
            raise ValueError("n_heads=%d must be a multiple of n_kv_heads=%d" % (n_heads, n_kv_heads))
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.depth = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.depth, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.depth, bias=False)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        batch, t, d_model = x.size()
        q = torch.permute(self.q_proj(x).reshape(batch, t, self.n_heads, self.depth), (0, 2, 1, 3))
        k = torch.permute(self.k_proj(x).reshape(batch, t, self.n_kv_heads, self.depth), (0, 2, 3, 1))
        v = torch.permute(self.v_proj(x).reshape(batch, t, self.n_kv_heads, self.depth), (0, 2, 1, 3))
        which = torch.arange(self.n_heads, device=x.device) // (self.n_heads // self.n_kv_heads)
        logits = torch.matmul(q, k[:, which]) / self.depth**0.5
        if mask is not None:
            logits = logits + torch.zeros_like(logits).masked_fill(~mask, float("-inf"))
        attention_weights = torch.softmax(logits, dim=-1)
        if mask is not None:
            attention_weights = torch.nan_to_num(attention_weights)
        y = torch.permute(torch.matmul(attention_weights, v[:, which]), (0, 2, 1, 3))
        return self.out_proj(y.reshape(batch, t, d_model))
