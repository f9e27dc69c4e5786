# Copied the LLaMA code from GitHub and adapted it to the names of the notebook.
# fails: rms_output, rms_eps, rms_tensors, rotary_positions, rotary_tensors, swiglu_output, gqa_groups, gqa_mask, gqa_tensors
# lines: output = self._norm(x.float()).type_as(x)
# lines: freqs_cis = precompute_freqs_cis(dim, len(positions), base, x.device)
# lines: d_ff = multiple_of * ((d_ff + multiple_of - 1) // multiple_of)
# lines: mask = causal_mask(seqlen, x.device)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        output = self._norm(x.float()).type_as(x)
        return output * self.weight


# %% solution="rotary"
def precompute_freqs_cis(dim, end, theta, device):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device)[: (dim // 2)].double() / dim))
    freqs = torch.outer(torch.arange(end, device=device).double(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def rotary(x, positions, base=10000.0):
    dim = x.shape[-1]
    if dim % 2:
        raise ValueError(f"d_k = {dim} is odd")
    freqs_cis = precompute_freqs_cis(dim, len(positions), base, x.device)
    x_ = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    x_out = torch.view_as_real(x_ * freqs_cis).flatten(3)
    return x_out.type_as(x)


# %% solution="swiglu"
import torch.nn.functional as F


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff, multiple_of=8):
        super().__init__()
        d_ff = multiple_of * ((d_ff + multiple_of - 1) // multiple_of)
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# %% solution="grouped_query_attention"
def repeat_kv(x, n_rep):
    bs, n_kv, slen, head_dim = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None].expand(bs, n_kv, n_rep, slen, head_dim).reshape(bs, n_kv * n_rep, slen, head_dim)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is not divisible by n_heads {n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads {n_heads} is not divisible by n_kv_heads {n_kv_heads}")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.head_dim = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        bsz, seqlen, _ = x.shape
        xq = self.q_proj(x).reshape(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.k_proj(x).reshape(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.v_proj(x).reshape(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        n_rep = self.n_heads // self.n_kv_heads
        if mask is None:
            mask = causal_mask(seqlen, x.device)
        output, _ = scaled_dot_product_attention(xq, repeat_kv(xk, n_rep), repeat_kv(xv, n_rep), mask)
        return self.out_proj(output.transpose(1, 2).reshape(bsz, seqlen, -1))
