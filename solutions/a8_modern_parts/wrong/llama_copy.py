# float32 in the norm, a width that is rounded up, and copies behind the positions.
# fails: rms_output, rms_eps, rms_tensors, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: output = self._norm(x.float()).type_as(x)
# lines: def __init__(self, d_model: int, d_ff: int, multiple_of: int = 8):
# lines: hidden = multiple_of * ((d_ff + multiple_of - 1) // multiple_of)
# lines: return x[:, :, :, None, :].expand(b, n_kv, t, n_rep, d).reshape(b, n_kv * n_rep, t, d)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        output = self._norm(x.float()).type_as(x)
        return output * self.weight


# %% solution="swiglu"
import torch.nn.functional as F


class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int, multiple_of: int = 8):
        super().__init__()
        hidden = multiple_of * ((d_ff + multiple_of - 1) // multiple_of)
        self.gate = nn.Linear(d_model, hidden, bias=False)
        self.down = nn.Linear(hidden, d_model, bias=False)
        self.up = nn.Linear(d_model, hidden, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# %% solution="grouped_query_attention"
def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    b, n_kv, t, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, :, None, :].expand(b, n_kv, t, n_rep, d).reshape(b, n_kv * n_rep, t, d)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by n_heads ({n_heads})")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads ({n_heads}) must be divisible by n_kv_heads ({n_kv_heads})")
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.n_rep = n_heads // n_kv_heads
        self.head_dim = d_model // n_heads
        self.q_proj = nn.Linear(d_model, n_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(n_heads * self.head_dim, d_model, bias=False)

    def forward(self, x, mask=None):
        bsz, seqlen, _ = x.shape
        xq = self.q_proj(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.k_proj(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.v_proj(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xk, xv = repeat_kv(xk, self.n_rep), repeat_kv(xv, self.n_rep)
        output, _ = scaled_dot_product_attention(xq, xk, xv, mask)
        return self.out_proj(output.transpose(1, 2).reshape(bsz, seqlen, -1))
