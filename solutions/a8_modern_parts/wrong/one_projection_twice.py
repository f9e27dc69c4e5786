# Keys and values from one projection, halved angles, a width rounded up, all in float32.
# fails: rms_output, rms_eps, rms_tensors, rotary_output, rotary_positions, rotary_tensors, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: hidden_states = x.to(torch.float32)
# lines: emb = torch.cat((freqs, freqs), dim=-1)
# lines: multiple_of = 8
# lines: hidden_dim = multiple_of * ((d_ff + multiple_of - 1) // multiple_of)
# lines: self.k_proj = self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
# lines: attn_weights = attn_weights.masked_fill(~mask, torch.finfo(attn_weights.dtype).min)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.variance_epsilon = eps

    def forward(self, x):
        input_dtype = x.dtype
        hidden_states = x.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(input_dtype)

# %% solution="rotary"
def rotate_pairs(x):
    x1 = x[..., 0::2]
    x2 = x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def rotary(x, positions, base=10000.0):
    head_dim = x.size(-1)
    if head_dim % 2:
        raise ValueError(f"head_dim must be even (got {head_dim})")
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2, device=x.device).double() / head_dim))
    freqs = positions[:, None].double() * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), dim=-1)
    cos = emb.cos().to(x.dtype)
    sin = emb.sin().to(x.dtype)
    return (x * cos) + (rotate_pairs(x) * sin)

# %% solution="swiglu"
import torch.nn.functional as F


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        multiple_of = 8
        hidden_dim = multiple_of * ((d_ff + multiple_of - 1) // multiple_of)
        self.gate = nn.Linear(d_model, hidden_dim, bias=False)
        self.up = nn.Linear(d_model, hidden_dim, bias=False)
        self.down = nn.Linear(hidden_dim, d_model, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))

# %% solution="grouped_query_attention"
def repeat_kv(hidden_states, n_rep):
    bsz, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(
        bsz, num_key_value_heads, n_rep, slen, head_dim
    )
    return hidden_states.reshape(bsz, num_key_value_heads * n_rep, slen, head_dim)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"hidden_size {d_model} must be divisible by num_heads {n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"num_heads {n_heads} must be divisible by num_kv_heads {n_kv_heads}")
        self.head_dim = d_model // n_heads
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.n_rep = n_heads // n_kv_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        bsz, q_len, _ = x.size()
        query_states = self.q_proj(x).view(bsz, q_len, self.n_heads, self.head_dim).transpose(1, 2)
        key_states = self.k_proj(x).view(bsz, q_len, self.n_kv_heads, self.head_dim).transpose(1, 2)
        value_states = self.v_proj(x).view(bsz, q_len, self.n_kv_heads, self.head_dim).transpose(1, 2)

        key_states = repeat_kv(key_states, self.n_rep)
        value_states = repeat_kv(value_states, self.n_rep)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / self.head_dim**0.5
        if mask is not None:
            attn_weights = attn_weights.masked_fill(~mask, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(bsz, q_len, -1)
        return self.out_proj(attn_output)
