# Halves are turned, q_proj has a bias, and one of two sizes is not looked at.
# fails: rotary_output, rotary_positions, rotary_tensors, gqa_sizes, gqa_groups
# lines: x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
# lines: self.q_proj = nn.Linear(d_model, n_heads * self.head_dim)
# lines: raise ValueError(f"hidden_size {d_model} must be divisible by num_heads {n_heads}")
# %% solution="rotary"
def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotary(x, positions, base=10000.0):
    dim = x.shape[-1]
    if dim % 2 != 0:
        raise ValueError(f"rotary dim {dim} is odd")
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=x.device).float() / dim))
    freqs = positions[:, None].float() * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    return (x * cos) + (rotate_half(x) * sin)


# %% solution="grouped_query_attention"
def repeat_kv(hidden_states, n_rep):
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(
        batch, num_key_value_heads, n_rep, slen, head_dim
    )
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.num_heads = n_heads
        self.num_key_value_heads = n_kv_heads
        self.num_key_value_groups = n_heads // n_kv_heads
        self.head_dim = d_model // n_heads
        if self.head_dim * n_heads != d_model:
            raise ValueError(f"hidden_size {d_model} must be divisible by num_heads {n_heads}")
        self.q_proj = nn.Linear(d_model, n_heads * self.head_dim)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(n_heads * self.head_dim, d_model, bias=False)

    def forward(self, x, mask=None):
        bsz, q_len, _ = x.size()
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim)
        v = self.v_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim)
        k = repeat_kv(k.transpose(1, 2), self.num_key_value_groups)
        v = repeat_kv(v.transpose(1, 2), self.num_key_value_groups)
        attn_output, _ = scaled_dot_product_attention(q, k, v, mask)
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(bsz, q_len, -1)
        return self.out_proj(attn_output)
