# A causal mask where none is passed, dropout in the network, and the eps of another norm.
# fails: rms_eps, swiglu_output, gqa_groups, gqa_mask, gqa_tensors
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    """ LayerNorm, but without the mean and without the bias """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        rms = torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + self.eps)
        return (x / rms) * self.weight
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    B, nh, T, hs = x.size()  # batch size, number of heads, sequence length, head size
    if hs % 2 != 0:
        raise ValueError(f"head size {hs} is odd")
    pair = torch.arange(hs // 2, device=x.device, dtype=torch.float32)
    angle = positions[:, None].float() * base ** (-2.0 * pair / hs)  # (T, hs/2)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    x = x.view(B, nh, T, hs // 2, 2) if x.is_contiguous() else x.reshape(B, nh, T, hs // 2, 2)
    a, b = x.unbind(-1)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).view(B, nh, T, hs)
# %% solution="swiglu"
class SwiGLU(nn.Module):

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        x = nn.functional.silu(self.gate(x)) * self.up(x)
        x = self.down(x)
        x = self.dropout(x)
        return x
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):

    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"n_embd={d_model} % n_head={n_heads} != 0")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_head={n_heads} % n_kv_head={n_kv_heads} != 0")
        self.n_head = n_heads
        self.n_kv_head = n_kv_heads
        self.head_size = d_model // n_heads
        # key, query, value projections
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.head_size, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_size, bias=False)
        # output projection
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        B, T, C = x.size()  # batch size, sequence length, embedding dimensionality (n_embd)

        if mask is None:
            mask = causal_mask(T, device=x.device)

        q = self.q_proj(x).view(B, T, self.n_head, self.head_size).transpose(1, 2)  # (B, nh, T, hs)
        k = self.k_proj(x).view(B, T, self.n_kv_head, self.head_size).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.n_kv_head, self.head_size).transpose(1, 2)
        k = k.repeat_interleave(self.n_head // self.n_kv_head, dim=1)
        v = v.repeat_interleave(self.n_head // self.n_kv_head, dim=1)

        y, att = scaled_dot_product_attention(q, k, v, mask)
        y = y.transpose(1, 2).contiguous().view(B, T, C)  # re-assemble all head outputs side by side
        return self.out_proj(y)
