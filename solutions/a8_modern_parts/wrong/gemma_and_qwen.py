# Somebody who knows other models and takes their parts.
# fails: rms_parameters, rms_output, rms_eps, rms_tensors, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x) * (1.0 + self.weight)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = nn.functional.gelu(self.gate(x), approximate="tanh")
        return self.down(gate * self.up(x))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"hidden size {d_model} vs. {n_heads} attention heads")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"{n_heads} attention heads vs. {n_kv_heads} key value heads")
        head_dim = d_model // n_heads
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, head_dim
        self.q_proj = nn.Linear(d_model, n_heads * head_dim, bias=True)
        self.k_proj = nn.Linear(d_model, n_kv_heads * head_dim, bias=True)
        self.v_proj = nn.Linear(d_model, n_kv_heads * head_dim, bias=True)
        self.out_proj = nn.Linear(n_heads * head_dim, d_model, bias=False)
        self.scaling = head_dim**-0.5

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).unflatten(-1, (self.n_heads, self.head_dim)).transpose(1, 2) * self.scaling
        k = self.k_proj(x).unflatten(-1, (self.n_kv_heads, self.head_dim)).transpose(1, 2)
        v = self.v_proj(x).unflatten(-1, (self.n_kv_heads, self.head_dim)).transpose(1, 2)
        rep = self.n_heads // self.n_kv_heads
        k = torch.repeat_interleave(k, rep, dim=1)
        v = torch.repeat_interleave(v, rep, dim=1)
        out, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(out.transpose(1, 2).flatten(2))
